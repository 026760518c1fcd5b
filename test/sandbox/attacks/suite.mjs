// Attacks an engine from inside and looks at the host afterwards. Exit 0: everything as expected.json says; 1: not; 2: usage; 3: cannot run here.
// usage: suite.mjs ENGINE.mjs [--resources] [--json FILE] [--keep] [--column NAME]
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, copyFileSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const LIMITS = { memoryBytes: 256 << 20, pids: 64, cpus: 1, tmpBytes: 64 << 20 };

/** What must not be equal inside; see guard.h. */
export function hostIdentity() {
  let stat;
  try { stat = readFileSync('/proc/1/stat', 'utf8'); } catch { console.error('cannot read who PID 1 is, so the guards could not tell a sandbox from this host'); process.exit(3); }
  const close = stat.lastIndexOf(')');
  return {
    PAWL_HOST_MNT: readlinkSync('/proc/self/ns/mnt'), PAWL_HOST_PID: readlinkSync('/proc/self/ns/pid'),
    PAWL_HOST_INIT: `${stat.slice(stat.indexOf('(') + 1, close)} ${stat.slice(close + 2).split(' ')[19]}`,
  };
}

/** A git workspace of its own with the attack programs in it; the caller removes `root`. */
export function makeWorkspace({ uid, gid } = {}) {
  const root = realpathSync(mkdtempSync(join(process.env.PAWL_ATTACK_TMP ?? tmpdir(), 'pawl-attack-')));
  const workspace = join(root, 'ws'), nonce = randomBytes(9).toString('hex');
  mkdirSync(join(workspace, 'ci/deep'), { recursive: true });
  const git = (...a) => execFileSync('git', ['-C', workspace, ...a], { stdio: 'pipe', env: { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' } });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'attack'); git('config', 'user.email', 'attack@example.invalid');
  writeFileSync(join(workspace, 'a.txt'), 'hello\n');
  writeFileSync(join(workspace, 'ci/deep/check.sh'), '#!/bin/sh\nexit 0\n');
  git('add', '-A'); git('commit', '-qm', 'start');
  rmSync(join(workspace, '.git/hooks'), { recursive: true, force: true }); mkdirSync(join(workspace, '.git/hooks'));
  const state = join(workspace, '.git/pawl'), artifacts = join(state, 'runs/r1/visits/dev-1/artifacts');
  mkdirSync(artifacts, { recursive: true });
  writeFileSync(join(state, 'runs/r1/journal.jsonl'), '{"canary":"CANARY"}\n');
  writeFileSync(join(workspace, '.attack-nonce'), nonce);
  for (const program of ['sysprobe', 'res']) {
    const built = process.env.PAWL_PROBES && join(process.env.PAWL_PROBES, program);
    if (built) copyFileSync(built, join(workspace, program));
    else execFileSync(process.env.CC ?? 'cc', ['-O1', '-static', '-o', join(workspace, program), join(here, `${program}.c`)]);
    chmodSync(join(workspace, program), 0o755);
  }
  for (const script of ['attack.sh']) copyFileSync(join(here, script), join(workspace, script));
  if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, root]);
  const profile = { workspace, state, artifacts, protect: ['ci/deep/check.sh'], limits: LIMITS, run: `attack-${nonce}` };
  return { root, workspace, profile, nonce, env: { PAWL_ATTACK: nonce, ...hostIdentity(), PAWL_ARTIFACTS: artifacts } };
}

/** Things worth stealing, next to what users really have. */
async function layBait(nonce, root) {
  const home = mkdtempSync(join(homedir(), '.pawl-bait-')), sibling = join(root, 'sibling');
  mkdirSync(join(home, '.ssh')); mkdirSync(sibling);
  writeFileSync(join(home, '.ssh/id_rsa'), 'CANARY key\n'); writeFileSync(join(sibling, 'other.txt'), 'CANARY other project\n');
  let runDir;
  for (const place of ['/run', process.env.XDG_RUNTIME_DIR, sibling]) try { runDir = mkdtempSync(join(place, 'pawl-bait-')); break; } catch { /* not ours to write */ }
  chmodSync(runDir, 0o755);
  const servers = [];
  const listen = (where) => new Promise((done) => { const s = net.createServer((c) => { c.on('error', () => {}); c.end('CANARY\n'); }); s.listen(where, () => { servers.push(s); done(s); }); });
  const sockets = [join(runDir, 'docker.sock'), join(sibling, 'agent.sock')];
  for (const path of sockets) { await listen(path); chmodSync(path, 0o777); }
  await listen(`\0pawl-${nonce}`);
  const tcp = await listen({ port: 0, host: '127.0.0.1' });
  return {
    env: {
      BAIT_HOME: home, BAIT_SIBLING: sibling, BAIT_SOCKETS: sockets.join(' '), BAIT_ABSTRACT: `pawl-${nonce}`,
      BAIT_PORT: String(tcp.address().port), BAIT_PID: String(process.pid), BAIT_USERHOME: homedir(),
    },
    takeAway() { for (const s of servers) s.close(); rmSync(home, { recursive: true, force: true }); rmSync(runDir, { recursive: true, force: true }); },
  };
}

async function main(enginePath, options) {
  const engine = await import(pathToFileURL(resolve(enginePath)));
  if (engine.probe && !(await engine.probe())) { console.error(`${engine.name}: not usable here`); return 3; }
  const [uid, gid] = (process.env.PAWL_SANDBOX_UID ?? '').split(':').map(Number);
  const made = makeWorkspace(uid > 0 && process.getuid() === 0 ? { uid, gid } : {});
  const bait = await layBait(made.nonce, made.root);
  const mark = `PAWL-ESCAPED-${made.nonce}`;
  process.env.PAWL_BAIT_SECRET = 'CANARY';
  try {
    const env = { ...made.env, ...bait.env, BAIT_STATE: made.profile.state, MARK: mark, ...(options.resources && { BAIT_RESOURCES: '1' }) };
    const answer = await engine.run(made.profile, { argv: ['bash', 'attack.sh'], env, timeoutMs: 120_000 });
    const found = readLines(answer.stdout);
    judgeHost(found, made, bait, mark);
    if (found.end !== 'reached') found.end = `did not finish: ${answer.reason} ${answer.code} ${answer.stderr.slice(0, 400)}`;
    if (answer.stats) found.stats = JSON.stringify(answer.stats);
    if (options.json) writeFileSync(options.json, JSON.stringify(found, null, 1));
    return report(found, engine, options);
  } finally {
    bait.takeAway();
    if (!options.keep) rmSync(made.root, { recursive: true, force: true });
  }
}

function readLines(text) {
  const found = {}, allowed = [];
  for (const line of text.split('\n')) {
    const [kind, what, value] = line.split('|');
    if (kind === 'R') found[what] = value;
    if (kind === 'S' && value === 'ALLOWED') allowed.push(what);
  }
  found.allowed = allowed.join(', ');
  return found;
}

/** A write that "worked" inside is a breach only if the host sees it. */
function judgeHost(found, { workspace, root, profile }, bait, mark) {
  for (const key of Object.keys(found)) if ((key.startsWith('write ') || key === 'link-write') && found[key] === 'BREACH') found[key] = 'scratch';
  const places = ['/', '/etc', '/usr', '/var', '/run', '/dev', '/tmp', '/dev/shm', '/root', homedir(), root, bait.env.BAIT_SIBLING];
  for (const path of places.map((p) => join(p, mark))) if (existsSync(path)) { found[`ON THE HOST ${path}`] = 'BREACH'; rmSync(path); }
  const text = (path) => { try { return readFileSync(path, 'utf8'); } catch { return ''; } };
  const settle = (key, broken) => { found[key] = broken ? 'BREACH' : 'held'; };
  settle('host: git config', !text(join(workspace, '.git/config')).includes('attack@example.invalid') || text(join(workspace, '.git/config')).includes('fsmonitor'));
  settle('host: git hooks', existsSync(join(workspace, '.git/hooks/pre-commit')));
  settle('host: protected file', text(join(workspace, 'ci/deep/check.sh')) !== '#!/bin/sh\nexit 0\n');
  settle('host: journal', !text(join(profile.state, 'runs/r1/journal.jsonl')).includes('CANARY'));
  settle('host: setuid file', (lstatSync(join(workspace, 'suid'), { throwIfNoEntry: false })?.mode ?? 0) & 0o4000);
  found['host: artifact arrives'] = text(join(profile.artifacts, 'report.md')) === 'x\n' ? 'works' : 'FAILS';
}

function report(found, engine, options) {
  const { always, mayAllow, columns } = JSON.parse(readFileSync(join(here, 'expected.json'), 'utf8'));
  const column = options.column ?? engine.column;
  const expected = { ...always, ...columns[column] };
  const strange = [];
  for (const [key, value] of Object.entries(found)) {
    const want = expected[key] ?? (key === 'allowed' ? undefined : 'held|denied|scratch|works|reached');
    if (key === 'allowed') { // a list: everything on it must be known
      const extra = value.split(', ').filter((v) => v && ![...mayAllow, ...(columns[column]?.allowed ?? [])].includes(v));
      if (extra.length) strange.push(`allowed system calls: ${extra.join(', ')}`);
    } else if (!new RegExp(`^(?:${want})$`).test(value)) strange.push(`${key}: ${value} (expected ${want})`);
    console.log(`${key.padEnd(28)} ${value}`);
  }
  const breaches = Object.values(found).filter((v) => v === 'BREACH').length;
  if (engine.isNegativeControl) {
    const unseen = expected.mustBreach.filter((key) => found[key] !== 'BREACH');
    console.log(`\n${engine.name} [${column}]: ${breaches} breaches seen; ${unseen.length ? `THE SUITE IS BLIND to ${unseen.join(', ')}` : 'the suite can see'}`);
    return unseen.length ? 1 : 0;
  }
  console.log(`\n${engine.name} [${column}]: ${Object.keys(found).length} results, ${breaches} breaches, ${strange.length} unexpected`);
  for (const s of strange) console.log(`  UNEXPECTED ${s}`);
  return strange.length ? 1 : 0;
}

/** Start again below a shell that leaves two files open without close-on-exec, one near and one behind a gap. */
function belowALeakyShell() {
  const root = mkdtempSync(join(tmpdir(), 'pawl-leak-'));
  try {
    writeFileSync(join(root, 'secret'), 'CANARY by descriptor\n');
    const again = spawnSync('bash', ['-c', 'exec 9<"$1" 42<"$1"; shift; exec "$@"', 'bash', join(root, 'secret'), process.execPath, ...process.argv.slice(1)], { stdio: 'inherit', env: { ...process.env, PAWL_SUITE_LEAKY: '1' } });
    return again.status ?? 1;
  } finally { rmSync(root, { recursive: true, force: true }); }
}

if (import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  const [engine, ...words] = process.argv.slice(2);
  const after = (word) => { const i = words.indexOf(word); return i < 0 ? undefined : words[i + 1]; };
  if (!engine || process.platform !== 'linux') { console.error('usage (Linux): suite.mjs ENGINE.mjs [--resources] [--json FILE] [--keep] [--column NAME]'); process.exit(2); }
  process.exit(process.env.PAWL_SUITE_LEAKY ? await main(engine, { resources: words.includes('--resources'), keep: words.includes('--keep'), json: after('--json'), column: after('--column') }) : belowALeakyShell());
}
