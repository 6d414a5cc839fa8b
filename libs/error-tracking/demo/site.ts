import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

export interface Site {
  /** `http://127.0.0.1:PORT` */
  readonly address: string;
  /** Paths asked for so far. */
  readonly requested: readonly string[];
  close(): Promise<void>;
}

export interface SiteOptions {
  /** Script of the page, served as a module with everything it imports split as its dynamic imports are. */
  readonly script: string;
  /** The page at every address that `handle` doesn't take and that is no script; `%SCRIPT%` is the script's path. */
  readonly html: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly port?: number;
  /** Answers whether it took the request. */
  handle?(path: string, response: ServerResponse): boolean;
}

/** Serves one page and its scripts on loopback; the package and the SDKs are bundled as an app would bundle them. */
export async function startSite(options: SiteOptions): Promise<Site> {
  const { outputFiles } = await build({
    entryPoints: [options.script],
    outdir: join(__dirname, 'scripts'),
    write: false,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  });
  const scripts = new Map(outputFiles.map(({ path, text }) => [`/scripts/${basename(path)}`, text]));
  const html = options.html.replace('%SCRIPT%', `/scripts/${basename(options.script).replace(/\.\w+$/, '.js')}`);
  const requested: string[] = [];

  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    requested.push(path);
    if (options.handle?.(path, response)) return;
    const script = scripts.get(path);
    response.writeHead(200, {
      'Content-Type': script === undefined ? 'text/html; charset=utf-8' : 'text/javascript',
      ...options.headers,
    });
    response.end(script ?? html);
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requested,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
