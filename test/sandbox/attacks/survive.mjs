// What is still alive after a kill? A child forks twice, leaves its session, ignores signals and beats in a file. Exit 0: as expected.
// usage: survive.mjs ENGINE.mjs
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeWorkspace } from './suite.mjs';

const LIVES = '60'; // seconds after which the survivor gives up by itself
const enginePath = resolve(process.argv[2] ?? '');
const engine = await import(pathToFileURL(enginePath));
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const beat = (ws) => { try { return readFileSync(join(ws, 'heartbeat'), 'utf8'); } catch { return undefined; } };
const beats = async (ws) => { const a = beat(ws); await sleep(400); return beat(ws) !== a; };
const comesUp = async (ws) => { for (let i = 0; i < 150; i++) { const a = beat(ws); await sleep(100); if (beat(ws) !== a) return true; } return false; };
let wrong = 0;

/** Several at a time: most of each is waiting. */
const jobs = [];
const check = (...job) => { jobs.push(job); };
async function carryOut(title, want, body) {
  const made = makeWorkspace();
  try {
    const { up, ms, tidy } = await body(made);
    await sleep(600);
    const alive = await beats(made.workspace);
    const got = !up ? 'never came up' : alive ? 'SURVIVED' : 'dead';
    if (got !== want) wrong++;
    console.log(`${title.padEnd(58)} ${got.padEnd(10)} ${ms === undefined ? '' : `${Math.round(ms)} ms`}${got === want ? '' : `   UNEXPECTED, should be ${want}`}`);
    await tidy?.();
  } finally { rmSync(made.root, { recursive: true, force: true }); }
}
const stubborn = (made) => ({ argv: ['./res', 'survive', LIVES], env: made.env });
const title = (t) => `${engine.name}: ${t}`;

check('no sandbox: SIGKILL to the process group', 'SURVIVED', async (made) => {
  const child = spawn('./res', ['survive', '4'], { cwd: made.workspace, stdio: 'ignore', detached: true });
  const up = await comesUp(made.workspace);
  process.kill(-child.pid, 'SIGKILL');
  return { up, tidy: () => sleep(4000) };
});
check(title('time-out of a step'), 'dead', async (made) => {
  const running = engine.run(made.profile, { ...stubborn(made), timeoutMs: 2500 });
  const up = await comesUp(made.workspace);
  const answer = await running;
  if (answer.reason !== 'timeout') wrong++;
  return { up, ms: answer.killMs };
});
check(title('time-out of a live fork bomb'), 'dead', async (made) => {
  const bomb = engine.run(made.profile, { argv: ['bash', '-c', './res survive 60 & sleep 1; b() { b | b & }; b; sleep 60'], env: made.env, timeoutMs: 4000 });
  const up = await comesUp(made.workspace);
  return { up, ms: (await bomb).killMs };
});
for (const [what, trap, want] of [['hears TERM', 'echo polite; exit 9', 'polite'], ['ignores TERM', '', '']]) check(title(`time-out with grace, command that ${what}`), 'dead', async (made) => {
  const script = `./res survive 60 & trap ${trap ? `"${trap}"` : '""'} TERM; while :; do sleep 0.1; done`;
  const running = engine.run(made.profile, { argv: ['bash', '-c', script], env: made.env, timeoutMs: 2500, graceMs: 700 });
  const up = await comesUp(made.workspace);
  const answer = await running;
  if (answer.stdout.trim() !== want || answer.reason !== 'timeout') { wrong++; console.log(`  said "${answer.stdout.trim()}", should say "${want}"`); }
  return { up, ms: answer.killMs };
});
const working = (ws) => readdirSync('/proc').filter((p) => { try { return readlinkSync(`/proc/${p}/cwd`) === ws; } catch { return false; } }).length;
check(title('the command ends, twenty busy children go on'), 'dead', async (made) => {
  const busy = 'for i in $(seq 20); do (setsid sh -c "while :; do :; done" >/dev/null 2>&1 </dev/null &); done';
  const running = engine.run(made.profile, { argv: ['bash', '-c', `./res survive 60 & ${busy}; sleep 8`], env: made.env, timeoutMs: 20_000 });
  const up = await comesUp(made.workspace);
  for (let i = 0; i < 140 && working(made.workspace) < 20; i++) await sleep(50);
  if (working(made.workspace) < 20) { wrong++; console.log('  the children cannot be seen from here: nothing proved'); }
  await running;
  const left = working(made.workspace); // at this very moment, not a little later
  if (left) { wrong++; console.log(`  ${left} processes were left when the answer came`); }
  return { up };
});
const script = `const e = await import(${JSON.stringify(pathToFileURL(enginePath).href)}); await e.run(JSON.parse(process.argv[1]), JSON.parse(process.argv[2]));`;
const words = (made) => ['--input-type=module', '-e', script, JSON.stringify(made.profile), JSON.stringify(stubborn(made))];
if (engine.name === 'bubblewrap') {
  check(title('SIGKILL to the process that opened it'), 'dead', async (made) => {
    const parent = spawn(process.execPath, words(made), { stdio: 'ignore' });
    const up = await comesUp(made.workspace);
    parent.kill('SIGKILL');
    return { up };
  });
  check(title('SIGKILL to the parent of that process'), 'SURVIVED', async (made) => { // its opener lives and is in charge
    const top = spawn(process.execPath, ['-e', 'console.log(require("child_process").spawn(process.execPath, process.argv.slice(1), { stdio: "ignore" }).pid)', '--', ...words(made)], { stdio: ['ignore', 'pipe', 'ignore'] });
    const opener = Number(await new Promise((done) => top.stdout.once('data', done)));
    const up = await comesUp(made.workspace);
    top.kill('SIGKILL');
    return { up, tidy: async () => { process.kill(opener, 'SIGKILL'); await sleep(300); if (await beats(made.workspace)) { wrong++; console.log('  still alive after its opener'); } } };
  });
}
if (engine.name === 'docker') check(title('SIGKILL to the process that opened it: swept, the living left alone'), 'dead', async (made) => {
  const living = makeWorkspace();
  const own = engine.run(living.profile, { ...stubborn(living), timeoutMs: 30_000 });
  const parent = spawn(process.execPath, words(made), { stdio: 'ignore' });
  const up = (await comesUp(made.workspace)) && (await comesUp(living.workspace));
  parent.kill('SIGKILL');
  await new Promise((done) => parent.once('exit', done));
  if (!(await beats(made.workspace))) { wrong++; console.log('  it died by itself: the sweep proves nothing'); }
  await engine.sweep();
  if (!(await beats(living.workspace))) { wrong++; console.log('  a living one was swept'); }
  return { up, tidy: async () => { if ((await own).reason !== 'timeout') wrong++; rmSync(living.root, { recursive: true, force: true }); } };
});

await Promise.all([1, 2, 3].map(async () => { for (let job = jobs.shift(); job; job = jobs.shift()) await carryOut(...job); }));
await engine.sweep?.(); // a killed opener leaves its cgroup folder or container
console.log(wrong ? `${wrong} unexpected` : 'all as expected');
process.exit(wrong ? 1 : 0);
