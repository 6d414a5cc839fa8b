import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { startCollector, type Received } from './collector';
import { startSite } from './site';

const PROVIDERS = [1, 3, 4, 5, 6, 7, 8].map((number) => `provider_${number}`);

/** Starts the page and a collector for each provider; the page hears of what they receive as it arrives. */
async function main(): Promise<void> {
  const listeners = new Set<ServerResponse>();
  const addresses: Record<string, string> = {};
  for (const id of PROVIDERS) {
    const collector = await startCollector();
    addresses[id] = collector.address;
    collector.onReceived((received) => {
      for (const listener of listeners) listener.write(`data: ${JSON.stringify({ id, ...told(received) })}\n\n`);
    });
  }
  const site = await startSite({
    script: join(__dirname, 'page.ts'),
    html: readFileSync(join(__dirname, 'page.html'), 'utf8'),
    port: Number(process.env['PORT'] ?? 8090),
    handle: (path, response) => {
      if (path === '/collectors') {
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(addresses));
      } else if (path === '/received') {
        response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
        response.flushHeaders();
        listeners.add(response);
        response.on('close', () => listeners.delete(response));
      }
      return path === '/collectors' || path === '/received';
    },
  });
  console.log(`The error-tracking demo is at ${site.address}; Ctrl+C ends it.`);
}

function told({ method, url, body }: Received): { request: string; body: string } {
  return { request: `${method} ${url.pathname}${decodeURIComponent(url.search)}`, body };
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
