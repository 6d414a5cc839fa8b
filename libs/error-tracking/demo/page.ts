import { createErrorTracking, type ErrorContext, type ProviderBlocks, type ProviderId } from '../index';

type Addresses = Readonly<Record<`provider_${1 | 3 | 4 | 5 | 6 | 7 | 8}`, string>>;

const NAMES = {
  provider_1: 'Sentry',
  provider_2: 'Crashlytics (native only)',
  provider_3: 'Datadog',
  provider_4: 'Bugsnag',
  provider_5: 'Rollbar',
  provider_6: 'LogRocket',
  provider_7: 'Raygun',
  provider_8: 'App Center',
} as const;

function blocks(at: Addresses): ProviderBlocks {
  return {
    provider_1: { dsn: `${at.provider_1.replace('//', '//publickey@')}/1` },
    provider_2: {},
    provider_3: { clientToken: 'client-token', applicationId: 'demo', service: 'demo', endpoint: at.provider_3 },
    provider_4: { apiKey: '0123456789abcdef0123456789abcdef', endpoint: at.provider_4 },
    provider_5: { accessToken: 'token', environment: 'demo', endpoint: at.provider_5 },
    provider_6: { appId: 'sluice/demo', endpoint: at.provider_6 },
    provider_7: { apiKey: 'key', endpoint: at.provider_7 },
    provider_8: { appSecret: 'secret', endpoint: at.provider_8 },
  };
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

function show(title: string, body: string): void {
  const article = document.createElement('article');
  const [name, text] = [document.createElement('strong'), document.createElement('pre')];
  name.textContent = title;
  text.textContent = pretty(body);
  article.append(name, text);
  element('sent').prepend(article);
}

/** JSON by the line, as some providers send it, made readable. */
function pretty(body: string): string {
  return body
    .split('\n')
    .map((line) => {
      try {
        return JSON.stringify(JSON.parse(line), null, 2);
      } catch {
        return line;
      }
    })
    .join('\n');
}

function context(): ErrorContext {
  return {
    severity: 'warning',
    tags: { screen: 'demo' },
    extra: { basket: { items: ['tea', 'cup'] } },
    user: { id: 'u-1', email: 'ada@example.com', username: 'Ada' },
    breadcrumbs: [{ message: 'pressed a button', category: 'ui' }],
  };
}

const configured = blocks((await (await fetch('/collectors')).json()) as Addresses);
/** One for each provider, so that each has its button; an app would name them all in one. */
const trackers = (Object.keys(NAMES) as ProviderId[]).map((id) => {
  return { id, tracking: createErrorTracking({ errorTracking: { ...configured, providers: [id] } }) };
});
const answer = element('answer');

for (const { id, tracking } of trackers) {
  await tracking.initialize();
  const button = document.createElement('button');
  button.id = id;
  button.textContent = `${id} · ${NAMES[id]}`;
  button.addEventListener('click', () => {
    void tracking.logError(new Error(`Hello, ${NAMES[id]}`), context()).then((report) => {
      answer.textContent = JSON.stringify(report, null, 2);
    });
  });
  element('providers').append(button);
}

for (const [id, errorTracking] of [
  ['yes', true],
  ['no', false],
] as const) {
  element(id).addEventListener('click', () => {
    void Promise.all(trackers.map(({ tracking }) => tracking.setConsent({ errorTracking }))).then(() => {
      answer.textContent = errorTracking ? 'You agreed: the SDKs are loaded.' : 'You refused: nothing is sent.';
    });
  });
}

new EventSource('/received').addEventListener('message', ({ data }) => {
  const { id, request, body } = JSON.parse(data as string) as { id: string; request: string; body: string };
  show(`${id} received ${request}`, body);
});
