import type { RaygunOptions, RaygunStatic } from 'raygun4js';
import { forget, type Adapt, type ErrorReport, type KnownUser } from '../tracker/adapter.js';

const SESSION = 'raygun4js-sid';

/** The SDK's own door to what it stores. */
interface Utilities {
  localStorageAvailable(): boolean;
  sessionStorageAvailable(): boolean;
  createCookie(...told: unknown[]): void;
}

export const adapt: Adapt<'provider_7', unknown> = (load) => async (block, host) => {
  const before = window.onerror;
  await load();
  // The import takes the place of the page's handler.
  window.onerror = before;
  const raygun = (window as unknown as { Raygun: RaygunStatic & { Utilities: Utilities } }).Raygun;
  const { Utilities: storage } = raygun;
  const storing = { ...storage };
  let sending: ErrorReport | undefined;

  function connect(): void {
    const options: RaygunOptions & { trackCoreWebVitals: boolean } = {
      ...(block.endpoint !== undefined && { apiEndpoint: block.endpoint, allowInsecureSubmissions: true }),
      disableAnonymousUserTracking: true,
      disablePulse: block.enableRealUserMonitoring !== true,
      trackCoreWebVitals: false,
      wrapAsynchronousCallbacks: false,
      from: 'onLoad',
    };
    raygun.onBeforeSend((payload) => {
      if (!host.consented()) return false;
      const { Details } = payload;
      const user = sending?.user ?? host.user();
      if (user) Details.User = native(user);
      if (sending) {
        payload.OccurredOn = new Date(sending.at);
        Details.Breadcrumbs = sending.breadcrumbs.map(({ message, category, timestamp, data }) => ({
          message,
          ...(category !== undefined && { category }),
          timestamp,
          level: 'info' as const,
          type: 'manual',
          ...(data && { CustomData: data }),
        }));
      }
      return payload;
    });
    (raygun as typeof raygun & { onBeforeSendRum(gate: (payload: unknown) => unknown): void }).onBeforeSendRum(
      (payload) => host.consented() && payload,
    );
    raygun.onBeforeXHR((xhr) => {
      if (!host.consented()) xhr.send = () => undefined;
    });
    // Its session would be stored again with every click.
    storage.localStorageAvailable = () => host.consented() && storing.localStorageAvailable();
    storage.sessionStorageAvailable = () => host.consented() && storing.sessionStorageAvailable();
    storage.createCookie = (...told) => {
      if (host.consented()) storing.createCookie.apply(storage, told);
    };
    if (block.version !== undefined) raygun.setVersion(block.version);
    raygun.init(block.apiKey, options);
  }

  function setUser(user: KnownUser | undefined): void {
    const { Identifier, IsAnonymous, Email, FullName } = native(user ?? {});
    raygun.setUser(Identifier, IsAnonymous, Email, FullName);
  }

  let connected = false;
  return () => {
    if (!connected) connect();
    connected = true;
    if (block.enableCrashReporting) raygun.attach();
    return {
      send(report) {
        if (block.enableCrashReporting === false) return Promise.resolve('enableCrashReporting');
        const tags = Object.entries(report.tags).map(([name, value]) => `${name}:${value}`);
        sending = report;
        try {
          raygun.send(report.error, { extra: report.extra }, [...tags, `severity:${report.severity}`]);
        } finally {
          sending = undefined;
        }
        return Promise.resolve(undefined);
      },
      setUser,
      stop() {
        if (block.enableCrashReporting) raygun.detach();
        setUser(undefined);
        forget(SESSION);
        storing.createCookie.call(storage, SESSION, '', -1);
      },
    };
  };
};

function native({ id, email, username }: KnownUser) {
  const Identifier = id ?? email ?? username ?? '';
  return { Identifier, IsAnonymous: Identifier === '', Email: email, FullName: username };
}
