import type { Context } from './context';
import { formatBytes } from './output';

export interface Progress {
  update(bytes: number): void;
  stop(): void;
}

/** A bar on a terminal, one line elsewhere, nothing with `--json`. Call `stop` whatever happens. */
export async function startProgress(label: string, total: number, { terminal, output }: Context): Promise<Progress> {
  if (!output.animated) {
    output.note(`${label}, ${formatBytes(total)}`);
    return { update: () => undefined, stop: () => undefined };
  }
  const { SingleBar } = await import('cli-progress');
  const bar = new SingleBar({
    stream: terminal.stderr,
    format: `${label} {bar} {percentage} % of ${formatBytes(total)}, {eta_formatted} left`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    fps: 10,
  });
  bar.start(total, 0);
  return { update: (bytes) => bar.update(bytes), stop: () => bar.stop() };
}
