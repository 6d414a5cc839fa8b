import { useSettings } from '../../api/queries';
import { Facts, Section } from '../../parts/page';
import { QueryState } from '../../parts/states';
import { size } from '../../parts/values';

/** The settings of the server, for a person who looks up a limit. */
export function SettingsInForce() {
  const settings = useSettings();
  if (!settings.isSuccess) return <QueryState of={settings} what="the settings" />;
  const { limits, sizes, sessions, jobs, retention, installation, ...server } = settings.data;
  return (
    <>
      <Section title="Installation">
        <p className="dim">All of this is set in the environment of the server, and changed there.</p>
        <Facts
          facts={{
            Release: server.version,
            Environment: server.environment,
            'Public address': <code>{server.public_url}</code>,
            'Address that devices ask': <code>{server.device_url ?? 'not known: its service does not answer'}</code>,
            Downloads: server.downloads.mode === 'stream' ? 'Through the server' : 'Sent on to the object store',
            'Plaintext of API keys': server.api_keys.recovery ? 'Kept encrypted, can be shown' : 'Not kept',
          }}
        />
      </Section>
      <Section title="Limits">
        <Facts
          facts={{
            'Requests of a token': `${limits.requests_per_minute.toLocaleString()} a minute`,
            'Uploads of a token': `${limits.uploads_per_hour.toLocaleString()} an hour`,
            'Actions on API keys': `${limits.key_actions_per_hour.toLocaleString()} an hour`,
            'Questions of a device': `${limits.device_per_minute.toLocaleString()} a minute`,
            'Questions of an address': `${limits.address_per_minute.toLocaleString()} a minute`,
            'Downloads of an address': `${limits.downloads_per_address.toLocaleString()} at a time`,
            'Apps of an owner': limits.apps.toLocaleString(),
            'Bundles of an owner, together': size(limits.storage_bytes),
            'Largest bundle': size(sizes.bundle_bytes),
            'Largest keystore backup': size(sizes.keystore_bytes),
          }}
        />
      </Section>
      <Section title="Times">
        <Facts
          facts={{
            'A session ends when unused for': span(sessions.idle_seconds),
            'A session ends at the latest after': span(sessions.max_seconds),
            'A failed job is tried again after': spans(jobs.retry_delays_ms),
            'A damaged bundle is tried again after': spans(jobs.content_retry_delays_ms),
            'A download address is good for': span(retention.download_url_ttl_seconds),
            'Bytes of deleted builds are kept for': span(retention.object_grace_seconds),
            'Builds kept of each channel':
              retention.builds_per_channel === 0 ? 'all' : retention.builds_per_channel.toLocaleString(),
          }}
        />
      </Section>
      {installation !== null && (
        <Section title="Engines">
          <Facts
            facts={{
              'Event store': <code>{installation.event_store}</code>,
              'Prefix of its names':
                installation.event_store_prefix === '' ? 'none' : <code>{installation.event_store_prefix}</code>,
              'Read store': <code>{installation.read_store}</code>,
              'State store': <code>{installation.state_store}</code>,
              'Object store': <code>{installation.object_store}</code>,
              Bus: <code>{installation.bus}</code>,
              'Trusted proxies': installation.trusted_proxies.join(', ') || 'none',
            }}
          />
        </Section>
      )}
    </>
  );
}

const spans = (milliseconds: readonly number[]): string => milliseconds.map((each) => span(each / 1_000)).join(', ');

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Seconds in the largest unit that they are a whole number of. */
function span(seconds: number): string {
  const [unit, each] = UNITS.find(([, length]) => seconds >= length && seconds % length === 0) ?? ['second', 1];
  const count = seconds / each;
  return `${count.toLocaleString()} ${unit}${count === 1 ? '' : 's'}`;
}
