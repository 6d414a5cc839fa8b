import { useEffect, useState, type ReactNode } from 'react';
import * as texts from '../texts/parts';
import { ago, isYoung } from './ago';
import { Button } from './button';

export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'dim';

interface BadgeProps {
  readonly tone: Tone;
  /** Explains it on hover. */
  readonly title?: string;
  readonly children: ReactNode;
}

export function Badge({ tone, title, children }: BadgeProps) {
  return (
    <span className={`badge ${tone}`} title={title}>
      {children}
    </span>
  );
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

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A status as the server names it. */
export function Status({ of: status }: { readonly of: string }) {
  return <Badge tone={STATUS_TONES[status] ?? 'dim'}>{capitalized(status)}</Badge>;
}

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

interface TimeProps {
  readonly at: string | null;
  /** Shown for null. */
  readonly none?: string;
  /** It may be in the future. Without this, one that is ahead of the clock of the browser is shown as now. */
  readonly ahead?: boolean;
}

export const exactTime = (at: string): string => absolute.format(new Date(at));

/** A relative time, with the exact time on hover. */
export function Time({ at, none = texts.never, ahead = false }: TimeProps) {
  if (at === null) return <span className="dim">{none}</span>;
  // A key of its own, so that another time is compared with the present time.
  return <Relative key={at} at={at} ahead={ahead} />;
}

function Relative({ at, ahead }: { readonly at: string; readonly ahead: boolean }) {
  const [now, setNow] = useState(() => Date.now());
  const every = isYoung(at, now) ? 5_000 : 30_000;
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(tick);
  }, [every]);
  return (
    // Within a live region, a screen reader would read it out at every tick.
    <time dateTime={at} title={exactTime(at)} aria-live="off">
      {ago(at, now, ahead) ?? texts.justNow}
    </time>
  );
}

/** A number of bytes in a readable unit. */
export function size(bytes: number): string {
  if (bytes < 1_024) return texts.bytes(bytes);
  const units = texts.largerUnits;
  // 1,000 KiB and more are shown in MiB.
  const power = Math.min(Math.max(1, Math.floor(Math.log2(bytes * 1.024) / 10)), units.length);
  const count = bytes / 1_024 ** power;
  const digits = count < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 };
  return `${count.toLocaleString(undefined, digits)} ${units[power - 1] ?? ''}`;
}

interface CopyableProps {
  readonly text: string;
  /** Names the text in the name of the button. */
  readonly label: string;
  /** Over several lines. */
  readonly block?: boolean;
}

/** Text with a button that copies it. */
export function Copyable({ text, label, block = false }: CopyableProps) {
  const [result, setResult] = useState('');
  const copy = (): void => {
    // Only pages on https or loopback can write to the clipboard.
    const written = (navigator.clipboard as Clipboard | undefined)?.writeText(text) ?? Promise.reject(new Error());
    written.then(
      () => setResult(texts.copied),
      () => setResult(texts.copyFailed),
    );
    setTimeout(() => setResult(''), 3_000);
  };
  return (
    <span className={block ? 'copyable block' : 'copyable'}>
      {block ? <pre tabIndex={0}>{text}</pre> : <code>{text}</code>}
      <Button onClick={copy} aria-label={texts.copyWhat(label)}>
        <span role="status">{result === '' ? texts.copy : result}</span>
      </Button>
    </span>
  );
}

/** A secret that is shown once. */
export function SecretOnce({ secret, label }: { readonly secret: string; readonly label: string }) {
  return (
    <div className="note warn">
      <p>{texts.copyNow(label)}</p>
      <Copyable text={secret} label={label} />
    </div>
  );
}
