import { UpdateError } from './errors.js';

/** Options of `createUpdater` for a preview, from its address. */
export interface Preview {
  readonly server: string;
  readonly apiKey: string;
  readonly channel: string;
}

/**
 * Reads the address of a preview, as `sluice preview create` prints it and apps are opened with it. Undefined: the address
 * is not one of a preview.
 * @param servers From which the app takes previews. Any page and any QR code can open an app with an address.
 * @throws UpdateError `invalid_preview`: a value is missing or invalid, or the server is not one of `servers`
 */
export function readPreview(address: string, servers: readonly string[]): Preview | undefined {
  const values = new URLSearchParams(address.includes('#') ? address.slice(address.indexOf('#') + 1) : '');
  const given = (name: string) => values.get(`sluice_${name}`);
  const [server, channel, apiKey] = [given('server'), given('channel'), given('key')];
  if (server === null && channel === null && apiKey === null) return undefined;
  if (channel === null || !/^[a-z0-9][a-z0-9-]{0,62}$/.test(channel)) throw invalid('It names no channel.');
  if (apiKey === null || !/^svc_app_[!-~]+$/.test(apiKey)) throw invalid('It has no API key of the app.');
  const accepted = servers.find((each) => withoutSlash(each) === withoutSlash(server ?? ''));
  if (accepted === undefined) throw invalid(`The app takes no previews from the server ${server ?? '(none)'}.`);
  return { server: accepted, channel, apiKey };
}

const withoutSlash = (server: string) => server.replace(/\/+$/, '');

const invalid = (why: string) => new UpdateError('invalid_preview', `The address of the preview is invalid. ${why}`);
