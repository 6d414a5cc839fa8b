import { useSettings } from '../../api/queries';
import { Facts, Section } from '../../parts/page';
import { QueryState } from '../../parts/states';
import { size } from '../../parts/values';
import * as texts from '../../texts/account';

/** The settings of the server, for a person who looks up a limit. */
export function SettingsInForce() {
  const settings = useSettings();
  if (!settings.isSuccess) return <QueryState of={settings} what={texts.loadingSettings} />;
  const { limits, sizes, sessions, jobs, retention, installation, ...server } = settings.data;
  return (
    <>
      <Section title={texts.installation}>
        <p className="dim">{texts.setByEnvironment}</p>
        <Facts
          facts={{
            [texts.release]: server.version,
            [texts.environment]: server.environment,
            [texts.publicAddress]: <code>{server.public_url}</code>,
            [texts.deviceAddress]: <code>{server.device_url ?? texts.unknownDeviceAddress}</code>,
            [texts.downloads]: server.downloads.mode === 'stream' ? texts.streamed : texts.redirected,
            [texts.plaintextKeys]: server.api_keys.recovery ? texts.recoverable : texts.notStored,
          }}
        />
      </Section>
      <Section title={texts.limits}>
        <Facts
          facts={{
            [texts.requestsOfToken]: texts.aMinute(limits.requests_per_minute),
            [texts.uploadsOfToken]: texts.anHour(limits.uploads_per_hour),
            [texts.actionsOnKeys]: texts.anHour(limits.key_actions_per_hour),
            [texts.requestsOfDevice]: texts.aMinute(limits.device_per_minute),
            [texts.requestsOfAddress]: texts.aMinute(limits.address_per_minute),
            [texts.downloadsOfAddress]: texts.atATime(limits.downloads_per_address),
            [texts.appsOfOwner]: limits.apps.toLocaleString(),
            [texts.bundlesOfOwner]: size(limits.storage_bytes),
            [texts.largestBundle]: size(sizes.bundle_bytes),
            [texts.largestKeystore]: size(sizes.keystore_bytes),
          }}
        />
      </Section>
      <Section title={texts.times}>
        <Facts
          facts={{
            [texts.sessionIdle]: span(sessions.idle_seconds),
            [texts.sessionMost]: span(sessions.max_seconds),
            [texts.jobRetries]: spans(jobs.retry_delays_ms),
            [texts.contentRetries]: spans(jobs.content_retry_delays_ms),
            [texts.downloadAddress]: span(retention.download_url_ttl_seconds),
            [texts.bytesKept]: span(retention.object_grace_seconds),
            [texts.buildsKept]:
              retention.builds_per_channel === 0 ? texts.all : retention.builds_per_channel.toLocaleString(),
          }}
        />
      </Section>
      {installation !== null && (
        <Section title={texts.engines}>
          <Facts
            facts={{
              [texts.eventStore]: <code>{installation.event_store}</code>,
              [texts.eventStorePrefix]:
                installation.event_store_prefix === '' ? texts.none : <code>{installation.event_store_prefix}</code>,
              [texts.readStore]: <code>{installation.read_store}</code>,
              [texts.stateStore]: <code>{installation.state_store}</code>,
              [texts.objectStore]: <code>{installation.object_store}</code>,
              [texts.bus]: <code>{installation.bus}</code>,
              [texts.trustedProxies]: installation.trusted_proxies.join(', ') || texts.none,
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
