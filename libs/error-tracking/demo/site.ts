import type { ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { serve, type Served } from './collector';

export interface Site extends Served {
  /** Paths asked for so far. */
  readonly requested: readonly string[];
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

  const served = await serve((request, response) => {
    const path = request.url ?? '/';
    requested.push(path);
    if (options.handle?.(path, response)) return;
    const script = scripts.get(path);
    response.writeHead(200, {
      'Content-Type': script === undefined ? 'text/html; charset=utf-8' : 'text/javascript',
      ...options.headers,
    });
    response.end(script ?? html);
  }, options.port);
  return {
    ...served,
    requested,
  };
}
