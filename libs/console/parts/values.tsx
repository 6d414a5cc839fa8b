import { useEffect, useState, type ReactNode } from 'react';
import { Button } from './button';

export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'dim';

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

const STATUS_TONES: Readonly<Record<string, Tone>> = {
  active: 'good',
  completed: 'good',
  approved: 'good',
  ok: 'good',
  processing: 'busy',
  pending: 'busy',
  running: 'busy',
  uploading: 'busy',
  paused: 'warn',
  partial: 'warn',
  expiring: 'warn',
  expired: 'warn',
  deprecated: 'warn',
  warning: 'warn',
  failed: 'bad',
  disapproved: 'bad',
  revoked: 'bad',
  error: 'bad',
};

/** A status as the server names it. */
export function Status({ of: status }: { readonly of: string }) {
  return <Badge tone={STATUS_TONES[status] ?? 'dim'}>{status}</Badge>;
}

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** How long from `now`, in the largest unit that fits. */
function ago(time: string, now: number): string {
  const seconds = (Date.parse(time) - now) / 1_000;
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  return Math.abs(seconds) < 10 ? 'just now' : relative.format(Math.round(seconds / size), unit);
}

/** A time as people say it, with the exact one behind it; `none` where there is none. */
export function Time({ at, none = 'never' }: { readonly at: string | null; readonly none?: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(tick);
  }, []);
  if (at === null) return <span className="dim">{none}</span>;
  return (
    <time dateTime={at} title={absolute.format(new Date(at))}>
      {ago(at, now)}
    </time>
  );
}

/** Bytes, in the unit that people read. */
export function size(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  const units = ['KiB', 'MiB', 'GiB'];
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length);
  return `${(bytes / 1_024 ** power).toLocaleString(undefined, { maximumFractionDigits: 1 })} ${units[power - 1] ?? ''}`;
}

interface CopyableProps {
  readonly text: string;
  /** What it is, for the button's name. */
  readonly label: string;
  /** Over several lines. */
  readonly block?: boolean;
}

/** Text to take away, with a button that copies it. */
export function Copyable({ text, label, block = false }: CopyableProps) {
  const [said, setSaid] = useState('');
  const copy = (): void => {
    // Only pages of https or loopback may write to the clipboard.
    const written = (navigator.clipboard as Clipboard | undefined)?.writeText(text) ?? Promise.reject(new Error());
    written.then(
      () => setSaid('Copied'),
      () => setSaid('Select it and copy it by hand'),
    );
    setTimeout(() => setSaid(''), 3_000);
  };
  return (
    <span className={block ? 'copyable block' : 'copyable'}>
      {block ? <pre tabIndex={0}>{text}</pre> : <code>{text}</code>}
      <Button onClick={copy} aria-label={`Copy ${label}`}>
        <span role="status">{said === '' ? 'Copy' : said}</span>
      </Button>
    </span>
  );
}

/** A secret that is shown this once. */
export function SecretOnce({ secret, label }: { readonly secret: string; readonly label: string }) {
  return (
    <div className="note warn">
      <p>
        <strong>Copy {label} now.</strong> It is kept nowhere and can’t be shown again.
      </p>
      <Copyable text={secret} label={label} />
    </div>
  );
}
