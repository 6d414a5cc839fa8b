import { createUpdater, unzip, UpdateError, type StartedBundle, type UpdateTrust } from '@sluice/device';
import { webStorage } from '@sluice/device/web';

interface Config {
  readonly server: string;
  readonly apiKey: string;
  readonly trust: UpdateTrust;
}

/** What a bundle of this app exports from `app.mjs`. */
interface App {
  mount(root: HTMLElement): Promise<void>;
}

const EMBEDDED: App = {
  mount: (root) => {
    root.textContent = 'The embedded app';
    return Promise.resolve();
  },
};

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no #${id}.`);
  return found;
}

const show = (status: string) => (element('status').textContent = status);

/** The app in a verified bundle. */
async function appIn(bundle: StartedBundle): Promise<App> {
  const script = (await unzip(await bundle.read())).get('app.mjs');
  if (script === undefined) throw new Error('The bundle has no app.mjs.');
  const url = URL.createObjectURL(new Blob([new Uint8Array(script)], { type: 'text/javascript' }));
  return (await import(url)) as App;
}

const config = (await (await fetch('/config.json')).json()) as Config;
const updater = createUpdater({ ...config, platform: 'web', embeddedVersion: '1.0.0', storage: webStorage('demo') });

element('reload').onclick = () => location.reload();
element('sync').onclick = async () => {
  show('Checking for updates');
  try {
    const { status } = await updater.sync();
    show(status === 'ready' ? 'An update is ready: restart the app.' : `No update: ${status}`);
  } catch (error) {
    if (!(error instanceof UpdateError)) throw error;
    show(`No update: ${error.code}: ${error.message}`);
  }
};

const { bundle, version, rolledBack } = await updater.start();
element('version').textContent = version;
try {
  await (bundle === undefined ? EMBEDDED : await appIn(bundle)).mount(element('app'));
  await updater.confirm();
  show(rolledBack === undefined ? 'Running' : `Version ${rolledBack.version} did not work and was rolled back.`);
} catch (error) {
  show(`The app failed. Restart it to go back. ${String(error)}`);
}
