import { flat, forget, type Adapter, type ErrorReport, type PrepareAdapter } from '../tracker/adapter.js';

const INSTALL_ID = 'sluice.error-tracking.install-id';
const MAX_PROPERTIES = 20;
const MAX_LENGTH = 125;
const KEEPALIVE_BYTES = 60_000;
const QUESTION = 'Send a report of this error?';

type Log = Readonly<Record<string, unknown>> & { readonly type: string };

export const prepare: PrepareAdapter<'provider_8'> = (block, host) => {
  const { appSecret, endpoint = '', analytics, crashes } = block;
  const confirm: () => unknown = crashes?.confirm ?? (() => window.confirm(QUESTION));
  let asking: Promise<boolean> | undefined;

  /** One question at a time: errors in the meantime share its answer. */
  function confirmed(): Promise<boolean> {
    asking ??= Promise.resolve(confirm())
      .then((answer) => answer === true)
      .finally(() => (asking = undefined));
    return asking;
  }

  function start(): Adapter {
    const stopped = new AbortController();
    const launched = new Date(performance.timeOrigin).toISOString();
    const install = installId();

    async function post(...logs: Log[]): Promise<void> {
      const body = JSON.stringify({ logs: logs.map((log) => ({ id: uuid(), device: device(), ...log })) });
      const response = await fetch(`${endpoint}/logs?Api-Version=1.0.0`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'App-Secret': appSecret, 'Install-ID': install },
        body,
        keepalive: body.length < KEEPALIVE_BYTES,
        signal: stopped.signal,
      });
      if (!response.ok) throw new Error(`the collector answered ${response.status}`);
    }

    function page(): void {
      post({ type: 'page', timestamp: new Date().toISOString(), name: location.pathname.slice(0, MAX_LENGTH) }).catch(
        () => undefined,
      );
    }

    if (analytics?.enableAutoPageTracking) {
      page();
      const { navigation } = window as { navigation?: EventTarget };
      (navigation ?? window).addEventListener(navigation ? 'currententrychange' : 'popstate', page, {
        signal: stopped.signal,
      });
    }

    return {
      async send(report) {
        if (crashes?.askBeforeSending) {
          if (!(await confirmed())) return 'crashes.confirm';
          if (!host.consented()) return 'consent';
        }
        await post(...logsOf(report, launched));
        return undefined;
      },
      stop() {
        stopped.abort();
        forget(INSTALL_ID);
      },
    };
  }

  return Promise.resolve(start);
};

function logsOf(report: ErrorReport, appLaunchTimestamp: string): Log[] {
  const { error, severity, tags, extra, user, breadcrumbs, at } = report;
  const id = uuid();
  const timestamp = new Date(at).toISOString();
  const people = flat({ 'user.email': user?.email, 'user.username': user?.username });
  const told: Record<string, unknown> = { severity, ...people, ...tags, ...flat(extra) };
  const properties = Object.entries(told).slice(0, MAX_PROPERTIES);
  const handled: Log = {
    type: 'handledError',
    id,
    timestamp,
    appLaunchTimestamp,
    ...(user?.id !== undefined && { userId: user.id }),
    exception: { type: error.name, message: error.message, stackTrace: error.stack },
    properties: Object.fromEntries(
      properties.map(([name, value]) => [name.slice(0, MAX_LENGTH), String(value).slice(0, MAX_LENGTH)]),
    ),
  };
  if (breadcrumbs.length === 0) return [handled];
  const attachment: Log = {
    type: 'errorAttachment',
    timestamp,
    errorId: id,
    contentType: 'application/json',
    fileName: 'breadcrumbs.json',
    data: base64(JSON.stringify(breadcrumbs)),
  };
  return [handled, attachment];
}

function device(): Readonly<Record<string, string | number>> {
  const { language, userAgent } = navigator;
  return {
    appVersion: 'unknown',
    appBuild: 'unknown',
    sdkName: 'sluice.error-tracking',
    sdkVersion: '0.1.0',
    osName: /Windows|Android|iPhone|iPad|Mac OS X|CrOS|Linux/.exec(userAgent)?.[0] ?? 'unknown',
    osVersion: /\(([^)]+)\)/.exec(userAgent)?.[1] ?? 'unknown',
    locale: language,
    timeZoneOffset: -new Date().getTimezoneOffset(),
  };
}

/** The same as long as consent is given, if the browser allows storage. */
function installId(): string {
  try {
    const id = localStorage.getItem(INSTALL_ID) ?? uuid();
    localStorage.setItem(INSTALL_ID, id);
    return id;
  } catch {
    return uuid();
  }
}

/** `crypto.randomUUID` is missing where a page is not served securely. */
function uuid(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  const hex = bytes.map((byte, place) => {
    const value = place === 6 ? (byte & 0x0f) | 0x40 : place === 8 ? (byte & 0x3f) | 0x80 : byte;
    return value.toString(16).padStart(2, '0');
  });
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
}
