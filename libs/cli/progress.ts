import type { Context } from './context';
import { formatBytes } from './output';

export interface Progress {
  /** A new total counts from now on; `told` fills in the other words of the bar's format. */
  update(value: number, total?: number, told?: Readonly<Record<string, number>>): void;
  stop(): void;
}

/** Of bytes: a bar on a terminal, one line elsewhere, nothing with `--json`. Call `stop` whatever happens. */
export function startProgress(label: string, total: number, context: Context): Promise<Progress> {
  if (!context.output.animated) context.output.note(`${label}, ${formatBytes(total)}`);
  return startBar(`${label} {bar} {percentage}% of ${formatBytes(total)}, {eta_formatted} left`, total, context);
}

/** A bar in a format of cli-progress on a terminal, nothing elsewhere. Call `stop` whatever happens. */
export async function startBar(format: string, total: number, { terminal, output }: Context): Promise<Progress> {
  if (!output.animated) return { update: () => undefined, stop: () => undefined };
  const { SingleBar } = await import('cli-progress');
  const bar = new SingleBar({
    stream: terminal.stderr,
    format,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    fps: 10,
  });
  bar.start(total, 0);
  return {
    update: (value, newTotal, told) => {
      if (newTotal !== undefined) bar.setTotal(newTotal);
      bar.update(value, told);
    },
    stop: () => bar.stop(),
  };
}
