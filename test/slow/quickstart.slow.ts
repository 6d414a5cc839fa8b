import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { standalone, type Deployment } from '../support/deployment';
import { linkCommand, runProgram, shellBlocks } from '../support/shell';

jest.setTimeout(120_000);

/** What a reader types behind `npm start`, up to the deployment with Docker. */
const quickstart = shellBlocks('README.md').filter((block) => block.includes('npx sluice'));
const client = shellBlocks('docs/guides/clients.md');
const inProject = shellBlocks('docs/guides/cli.md');
/** Without the block that starts the server. */
const gettingStarted = shellBlocks('docs/getting-started.md').slice(1);

const missing = ['bash', 'curl', 'openssl', 'sha256sum'].filter((tool) => spawnSync(tool, ['version']).error);

(missing.length > 0 ? describe.skip : describe)(
  'README.md, docs/getting-started.md and docs/guides/{cli,clients}.md, word for word',
  () => {
    let deployment: Deployment;
    let scratch: string;
    let env: Record<string, string>;

    beforeAll(async () => {
      deployment = await standalone.deploy();
      scratch = temporaryDirectory();
      await linkCommand(scratch);
      env = { SLUICE_SERVER: deployment.gateways[0]!, DATA_DIR: deployment.dataDir };
    });

    afterAll(() => deployment.destroy());

    /** With the variables that earlier blocks exported. Only the address and the folder for files differ. */
    async function play(block: string): Promise<string> {
      const script = block
        .replaceAll('http://127.0.0.1:8080', deployment.gateways[0]!)
        .replaceAll('/tmp/', `${scratch}/`)
        .replaceAll('data/owner.key', `${deployment.dataDir}/owner.key`);
      const exported = join(scratch, 'exported');
      const commands = `${script}\nexport -p > ${exported}`;
      const output = await runProgram(['bash', '-e', '-o', 'pipefail', '-c', commands], { cwd: scratch, env });
      for (const [, name, value] of (await readFile(exported, 'utf8')).matchAll(/^declare -x (\w+)="(.*)"$/gm))
        if (/^(SLUICE_TOKEN|APP_KEY|BUILD)$/.test(name!)) env[name!] = value!;
      return output;
    }

    it('releases a build to a device, and pauses it', async () => {
      const outputs: string[] = [];
      for (const block of quickstart) outputs.push(await play(block));
      expect(quickstart).toHaveLength(5);
      expect(outputs[3]).toContain('1.0.0');
      expect(outputs[4]).toMatch(/state +stopped/);
      const check = `npx sluice check --key $APP_KEY --device other --current 0.9.0 --json`;
      expect(JSON.parse(await play(check))).toMatchObject({ available: false });
    });

    it('serves a client that verifies signatures', async () => {
      const [commands = '', byHand = '', signature = '', channel = '', reports = ''] = client;
      expect(client).toHaveLength(5);
      await play(commands);
      expect(await play(byHand)).toMatch(/bundle\.zip: OK\n$/);
      expect(await play(signature)).toMatch(/Verified OK\n$/);
      await play('npx sluice channel add beta --app com.example.shop --self-assign');
      expect(await play(channel)).toMatch(
        /^(\{"channel":"beta","expiresAt":"[\d-]+T[\d:.]+Z"\}){2}\{"channel":null,.*\}$/,
      );
      expect((await play(reports)).match(/"success":true/g)).toHaveLength(4);
    });

    it('goes from a new server to a device that updates, and stops a rollout', async () => {
      const outputs: string[] = [];
      for (const block of gettingStarted) outputs.push(await play(block));
      const [ownerKey, , , , offer, download] = outputs;
      expect(ownerKey!.trim()).toBe(await deployment.ownerKey());
      expect(JSON.parse(offer!)).toMatchObject({ available: true, version: '1.0.0' });
      expect(download).toContain('1.0.0');
      const check = 'npx sluice check --key $APP_KEY --device other --current 0.9.0 --json';
      expect(JSON.parse(await play(check))).toMatchObject({ available: true, version: '1.0.0' });
    });

    describe('in a project', () => {
      let project: string;
      const run = (commands: string, more: Readonly<Record<string, string>>) =>
        runProgram(['bash', '-e', '-o', 'pipefail', '-c', commands], {
          cwd: project,
          env: { DATA_DIR: deployment.dataDir, ...more },
        });

      beforeAll(async () => {
        project = join(scratch, 'cafe');
        await mkdir(join(project, 'www'), { recursive: true });
        await writeFile(join(project, 'www', 'index.html'), '<h1>Cafe</h1>');
        await linkCommand(project);
        const token =
          'export SLUICE_TOKEN=$(npx sluice token create --name cafe --json | sed -n \'s/.*"token": "\\(.*\\)".*/\\1/p\')';
        await run(`${token}\nnpx sluice app create --name Cafe --bundle-id com.example.cafe`, env);
      });

      it('describes the app, logs in, uploads and logs out', async () => {
        const outputs: string[] = [];
        for (const block of inProject) {
          outputs.push(await run(block.replaceAll('http://127.0.0.1:8080', deployment.gateways[0]!), {}));
        }
        expect(inProject).toEqual(expect.arrayContaining(shellBlocks('libs/cli/README.md').slice(1)));
        const page = await readFile(join(__dirname, '..', '..', 'docs', 'guides', 'cli.md'), 'utf8');
        const [, shown = ''] = /^```json\n([\s\S]*?)^```$/m.exec(page)!;
        const file = await readFile(join(project, 'sluice.json'), 'utf8');
        expect(file).toBe(shown.replace('http://127.0.0.1:8080', deployment.gateways[0]!));
        const [, login, whoami, release] = outputs;
        expect(login).toMatch(/token +laptop\n/);
        expect(login).not.toContain('svc_pat_');
        expect(whoami).toMatch(/apps +all\n/);
        expect(release).toMatch(/1\.0\.0 +staging +live/);
      });

      const script = spawnSync('script', ['--version']).error === undefined;
      (script ? it : it.skip)(`does not show a token on a terminal${script ? '' : '; script is missing'}`, async () => {
        const child = spawn('script', ['-qec', 'npx sluice login', '/dev/null'], {
          cwd: project,
          env: { PATH: process.env['PATH'], HOME: project, SLUICE_SERVER: deployment.gateways[0] },
          stdio: ['pipe', 'pipe', 'inherit'],
        });
        let screen = '';
        child.stdout.setEncoding('utf8').on('data', (shown: string) => {
          if (!screen.includes('Access token') && shown.includes('Access token')) child.stdin.write('svc_pat_hidden\r');
          screen += shown;
        });
        const [code] = (await once(child, 'close')) as [number | null];
        expect({ code, screen }).toEqual({ code: 1, screen: expect.stringContaining('ACCESS_TOKEN') });
        expect(screen).not.toContain('hidden');
      });
    });
  },
);
