import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';

const PACKAGE = join(__dirname, '..', '..', 'libs', 'device');

/** Serves the page, its script, and what the script needs to know of the server. */
async function main(): Promise<void> {
  const { SLUICE_SERVER = 'http://127.0.0.1:8080', APP_KEY, APP_ID, PUBLIC_KEY, PORT = '8091' } = process.env;
  if (APP_KEY === undefined || APP_ID === undefined || PUBLIC_KEY === undefined) {
    throw new Error('Set APP_KEY, APP_ID and PUBLIC_KEY: see examples/device-demo/README.md.');
  }
  const keys = [{ publicKey: PUBLIC_KEY, scheme: 'pkcs1v15' }];
  const config = { server: SLUICE_SERVER, apiKey: APP_KEY, trust: { keys, appId: Number(APP_ID) } };
  const { outputFiles } = await build({
    ...{ entryPoints: [join(__dirname, 'page.ts')], bundle: true, write: false, format: 'esm', target: 'es2022' },
    // In an app of your own the package comes from node_modules.
    alias: { '@sluice/device': PACKAGE },
  });
  const files: Readonly<Record<string, readonly [type: string, content: string]>> = {
    '/': ['text/html', await readFile(join(__dirname, 'page.html'), 'utf8')],
    '/page.js': ['text/javascript', outputFiles[0]?.text ?? ''],
    '/config.json': ['application/json', JSON.stringify(config)],
  };
  const server = createServer(({ url = '' }, response) => {
    const [type, content] = files[url] ?? [];
    if (type === undefined) response.writeHead(404).end();
    else
      response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'no-store' }).end(content);
  });
  server.listen(Number(PORT), '127.0.0.1', () => {
    console.log(`The demo is at http://127.0.0.1:${(server.address() as AddressInfo).port}; Ctrl+C ends it.`);
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
