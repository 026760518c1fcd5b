// What one step leaves so that the NEXT start opens a door; and the workspaces that are not a plain repository. Exit 0: as expected.
// usage: between-steps.mjs ENGINE.mjs
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeWorkspace } from './suite.mjs';

const engine = await import(pathToFileURL(resolve(process.argv[2] ?? '')));
const { gitSignposts } = engine;
let wrong = 0;
const text = (path) => { try { return readFileSync(path, 'utf8'); } catch { return ''; } };

async function check(title, body) {
  const made = makeWorkspace();
  try {
    const sh = async (script, change = {}) => {
      try { return await engine.run({ ...made.profile, ...change }, { argv: ['bash', '-c', script], env: { ...made.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_OPTIONAL_LOCKS: '0', GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' }, timeoutMs: 20_000 }); }
      catch (e) { return { refused: e.code ?? String(e), stdout: '', stderr: e.message }; }
    };
    const problem = await body({ ...made, sh });
    if (problem) wrong++;
    console.log(`${title.padEnd(74)} ${problem ? `WRONG: ${problem}` : 'ok'}`);
  } catch (e) {
    wrong++;
    console.log(`${title.padEnd(74)} WRONG: ${e.message}`);
  } finally { rmSync(made.root, { recursive: true, force: true }); }
}
const refused = (answer) => answer.refused === 'SBX-GUARD' ? '' : `not refused: ${JSON.stringify(answer).slice(0, 200)}`;
const secretFolder = (root) => { const s = join(root, 'secret'); mkdirSync(s); writeFileSync(join(s, 'HEAD'), 'CANARY\n'); return s; };

await check('.git swapped for a link, then mounted read-only: refused', async ({ sh, workspace, root }) => {
  const secret = secretFolder(root);
  renameSync(join(workspace, '.git'), join(workspace, '.g')); symlinkSync(secret, join(workspace, '.git')); // as if a step had got so far
  return refused(await sh('cat .git/HEAD', { state: undefined, artifacts: undefined })) || (text(join(workspace, '.git/HEAD')) ? '' : 'the trick was not laid');
});
await check('a protected path swapped for a link: refused', async ({ sh, root }) => {
  const secret = secretFolder(root);
  await sh(`rm ci/deep/check.sh && ln -s '${secret}/HEAD' ci/deep/check.sh`, { protect: [] });
  return refused(await sh('cat ci/deep/check.sh'));
});
await check('a folder above a protected path swapped for a link: refused', async ({ sh, root }) => {
  const secret = secretFolder(root);
  mkdirSync(join(secret, 'deep')); writeFileSync(join(secret, 'deep/check.sh'), 'CANARY\n');
  await sh(`rm -r ci && ln -s '${secret}' ci`, { protect: [] });
  return refused(await sh('cat ci/deep/check.sh'));
});
for (const [what, path, holds] of [['folder', 'ci/deep', true], ['file', 'ci/deep/check.sh', false]])
  await check(`the host replaces a file under a living sandbox: protected ${what} ${holds ? 'holds' : 'opens'}`, async ({ sh, workspace, root }) => {
    const running = sh('touch started; for i in $(seq 100); do [ -e replaced ] && break; sleep 0.05; done; echo FORGED > ci/deep/check.sh', { protect: [path] });
    for (let i = 0; i < 100 && !existsSync(join(workspace, 'started')); i++) await new Promise((done) => setTimeout(done, 50));
    writeFileSync(join(root, 'new'), 'edited on the host\n');
    renameSync(join(root, 'new'), join(workspace, 'ci/deep/check.sh')); // as editors, git and careful programs write
    writeFileSync(join(workspace, 'replaced'), '');
    await running;
    const forged = text(join(workspace, 'ci/deep/check.sh')) === 'FORGED\n'; // the kernel lets go of a mount whose place is replaced: only a digest tells
    return forged === !holds ? '' : `${what} ${forged ? 'was forged' : 'held: better than known'}`;
  });
for (const [name, plant] of [['commondir', 'echo /tmp > .git/commondir'], ['config.worktree', 'echo x > .git/config.worktree'], ['alternates', 'mkdir -p .git/objects/info && echo /root > .git/objects/info/alternates'], ['a hook folder that is a link', 'rm -r .git/hooks && ln -s /tmp .git/hooks']])
  await check(`${name} planted between two steps: the next start is refused`, async ({ sh, workspace }) => {
    const signposts = gitSignposts(workspace);
    const first = await sh('true', { signposts });
    if (first.refused) return `refused too early: ${first.stderr}`;
    execFileSync('sh', ['-c', plant], { cwd: workspace });
    return refused(await sh('true', { signposts }));
  });
await check('a working home in a writable folder: the folder cannot be moved away with the journal', async ({ sh, workspace, root }) => {
  renameSync(join(workspace, '.git'), join(root, 'old-git'));
  const state = join(workspace, '.pawl/local');
  mkdirSync(join(state, 'runs'), { recursive: true });
  writeFileSync(join(state, 'runs/journal'), 'CANARY\n');
  const answer = await sh('cat .pawl/local/runs/journal; mv .pawl x && mkdir -p .pawl/local/runs && echo FORGED > .pawl/local/runs/journal; cat x/local/runs/journal', { state, artifacts: undefined });
  return text(join(state, 'runs/journal')) === 'CANARY\n' && !answer.stdout.includes('CANARY') ? '' : `journal is "${text(join(state, 'runs/journal'))}", seen "${answer.stdout}"`;
});
await check('a protected folder that holds the working home: journal hidden, artifacts writable, folder held', async ({ sh, workspace, root }) => {
  renameSync(join(workspace, '.git'), join(root, 'old-git'));
  const state = join(workspace, '.pawl/local'), artifacts = join(state, 'artifacts');
  mkdirSync(artifacts, { recursive: true });
  writeFileSync(join(state, 'journal'), 'CANARY\n');
  const answer = await sh('cat .pawl/local/journal; echo x > .pawl/loop.yaml; echo done > .pawl/local/artifacts/r.md', { state, artifacts, protect: ['.pawl'] });
  if (answer.stdout.includes('CANARY') || existsSync(join(workspace, '.pawl/loop.yaml'))) return 'seen or written';
  return text(join(artifacts, 'r.md')) === 'done\n' ? '' : `no artifact: ${answer.stderr}`;
});
await check('a path below a protected folder, protected too: does not open the folders between', async ({ sh, workspace }) => {
  await sh('echo x > ci/deep/new; echo x > ci/new', { protect: ['ci/deep/check.sh', 'ci', 'ci/deep/check.sh'] });
  return existsSync(join(workspace, 'ci/deep/new')) || existsSync(join(workspace, 'ci/new')) ? 'written' : '';
});
await check('no repository: nothing can be planted, no folder stays behind', async ({ sh, workspace, root }) => {
  renameSync(join(workspace, '.git'), join(root, 'old-git'));
  const change = { state: undefined, artifacts: undefined };
  await sh('git init -q . ; echo "gitdir: /tmp" > .git; echo x > .git/config', change);
  return existsSync(join(workspace, '.git')) ? '.git is there' : '';
});
await check('a linked worktree: git reads, cannot commit, state stays hidden', async ({ sh, workspace, root, profile }) => {
  const tree = join(root, 'linked');
  execFileSync('git', ['-C', workspace, 'worktree', 'add', '-q', tree], { stdio: 'pipe', env: { PATH: process.env.PATH, HOME: root } });
  const change = { workspace: tree, protect: [] };
  const answer = await sh(`git log --oneline | wc -l; git commit --allow-empty -qm x && echo COMMITTED; cat '${profile.state}/runs/r1/journal.jsonl'; echo done > "$PAWL_ARTIFACTS/r.md"; rm .git; echo x > .git`, change);
  if (!answer.stdout.startsWith('1\n') || /COMMITTED|CANARY/.test(answer.stdout)) return `${answer.refused ?? ''} ${answer.stdout} ${answer.stderr}`;
  return text(join(profile.artifacts, 'r.md')) === 'done\n' && text(join(tree, '.git')).startsWith('gitdir:') ? '' : 'artifact missing or .git changed';
});
await check('access: read keeps the tree read-only, artifacts writable', async ({ sh, workspace, profile }) => {
  await sh('echo x > new.txt; echo y >> a.txt; echo done > "$PAWL_ARTIFACTS/r.md"', { access: 'read', protect: [] });
  return existsSync(join(workspace, 'new.txt')) || text(join(workspace, 'a.txt')) !== 'hello\n' ? 'the tree was changed' : text(join(profile.artifacts, 'r.md')) === 'done\n' ? '' : 'no artifact';
});
await check('a workspace called "we:ird, name"', async ({ sh, workspace, root }) => {
  const odd = join(root, 'we:ird, name');
  renameSync(workspace, odd);
  const answer = await sh('pwd; echo x > new.txt', { workspace: odd, state: join(odd, '.git/pawl'), artifacts: undefined });
  return answer.stdout.trim() === odd && existsSync(join(odd, 'new.txt')) ? '' : `${answer.refused ?? ''} ${answer.stdout} ${answer.stderr}`;
});
await check('a socket among the mounts: refused', async ({ sh, root }) => {
  const { createServer } = await import('node:net');
  const path = join(root, 'agent.sock'), server = createServer().listen(path);
  await new Promise((done) => server.on('listening', done));
  const answer = await sh('true', { mounts: [{ source: path, access: 'read' }] });
  server.close();
  return refused(answer);
});
await check('a link among the mounts: refused', async ({ sh, root }) => {
  symlinkSync('/etc', join(root, 'l'));
  return refused(await sh('true', { mounts: [{ source: join(root, 'l'), access: 'read' }] }));
});
if (process.getuid() === 0) await check('a read-only mount with another mount below: no hole', async ({ sh, root }) => {
  const source = join(root, 'ro');
  mkdirSync(join(source, 'below'), { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', 'none', join(source, 'below')]);
  try {
    await sh(`echo x > '${source}/below/new'`, { mounts: [{ source, access: 'read' }] });
    return existsSync(join(source, 'below/new')) ? 'written below' : '';
  } finally { execFileSync('umount', [join(source, 'below')]); }
});
console.log(wrong ? `${wrong} unexpected` : `${engine.name}: all as expected`);
process.exit(wrong ? 1 : 0);
