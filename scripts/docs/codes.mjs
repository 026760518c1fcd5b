// The codes of issues, faults and refusals with what they say, read out of the syntax trees of src/.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

export function codesText() {
  const trees = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .sort()
    .map((name) => ts.createSourceFile(name, readFileSync(join("src", name), "utf8"), ts.ScriptTarget.Latest, true));
  const issues = trees.flatMap((tree) => nodesOf(tree).flatMap(issuesIn));
  const faults = trees.flatMap((tree) => nodesOf(tree).flatMap((node) => [...faultIn(node), ...calledIn(node)]));
  const refusals = trees.flatMap((tree) => nodesOf(tree).flatMap(refusalIn));
  for (const [what, found] of Object.entries({ issues, faults, refusals }))
    if (found.length < 20) throw new Error(`only ${found.length} ${what} were found`);
  return `# Codes

Written by \`npm run docs\` from the sources. A name that is filled in stands as …; where one code has several messages, the first is shown.

## Issues: the text is wrong (exit 2)

${table(["code", "means"], issues)}
## Faults: the world could not do it (exit 4; the run is parked, asking again costs nothing)

${table(["code", "says"], faults)}
## Refusals: not now, or not this way (exit 2 where none is given; no state is touched)

${table(["code", "says", "exit"], refusals)}`;
}

const nodesOf = (tree) => {
  const found = [];
  const look = (node) => {
    found.push(node);
    ts.forEachChild(node, look);
  };
  look(tree);
  return found;
};

function table(head, rows) {
  const told = rows.filter(([, says]) => /[a-z]{3}/.test(says));
  const first = new Map([...rows.toReversed(), ...told.toReversed()].map((row) => [row[0], row]));
  const lines = [...first.values()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((row) => `| ${row.map(cell).join(" | ")} |`);
  return `| ${head.join(" | ")} |\n|${head.map(() => "---").join("|")}|\n${lines.join("\n")}\n`;
}
const cell = (text) =>
  /^[….: ]+$/.test(text) ? "(what went wrong, in its own words)" : text.replaceAll("|", "\\|").replaceAll("\n", " ");

function issuesIn(node) {
  if (!ts.isVariableDeclaration(node) || node.name.getText() !== "ISSUE_CODES") return [];
  const table = nodesOf(node).find(ts.isObjectLiteralExpression);
  return table.properties.map((one) => [`\`${one.name.text}\``, textOf(one.initializer)]);
}

/** `{ code: "…", message: … }`, wherever it stands. */
function faultIn(node) {
  if (!ts.isObjectLiteralExpression(node)) return [];
  const value = (name) => {
    const one = node.properties.find((each) => each.name?.getText() === name);
    return one && ts.isPropertyAssignment(one) ? one.initializer : one?.name;
  };
  const [code, message] = [value("code"), value("message")];
  return code && message && ts.isStringLiteral(code) && !isIssue(node) ? [[`\`${code.text}\``, textOf(message)]] : [];
}
/** `fault("sbx-…", …)` and `trouble("sbx-…", …)`. */
function calledIn(node) {
  if (!ts.isCallExpression(node) || !["fault", "trouble"].includes(node.expression.getText())) return [];
  const [code, message] = node.arguments;
  return code && message && ts.isStringLiteral(code) ? [[`\`${code.text}\``, textOf(message)]] : [];
}
const isIssue = (node) => node.getSourceFile().fileName.startsWith("config/");

function refusalIn(node) {
  const made = ts.isNewExpression(node) && node.expression.getText() === "Refusal";
  const base = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword;
  const [code, message, , exit] = (made || base ? node.arguments : undefined) ?? [];
  if (!code || !message || !ts.isStringLiteral(code)) return [];
  return [[`\`${code.text}\``, textOf(message), exit && ts.isNumericLiteral(exit) ? exit.text : ""]];
}

/** What is written there; a name stands for what it was declared as, if that is a text. */
function textOf(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join("");
  if (ts.isConditionalExpression(node)) return textOf(node.whenTrue);
  if (ts.isBinaryExpression(node)) return textOf(node.left) + textOf(node.right);
  if (!ts.isIdentifier(node)) return "…";
  const before = nodesOf(node.getSourceFile()).filter(
    (each) => ts.isVariableDeclaration(each) && each.name.getText() === node.text && each.pos < node.pos,
  );
  const declared = before.at(-1)?.initializer;
  return declared && declared !== node ? textOf(declared) : "…";
}
