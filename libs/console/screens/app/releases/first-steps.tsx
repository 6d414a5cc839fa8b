import type { ApiKey, App, Build } from '@sluice/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { query } from '../../../api/client';
import { useList } from '../../../api/queries';
import { Button } from '../../../parts/button';
import { Modal } from '../../../parts/dialog';
import { Section } from '../../../parts/page';
import { Badge, Copyable, Time } from '../../../parts/values';
import { MakeKey } from '../api-keys/make-key';
import { channelToCheck } from '../first-check/first-check';
import { useFirstCheck } from '../first-check/use-first-check';

/** That a device asked is no event: it is asked for as long as somebody waits for it. */
const REFRESH_MS = 3_000;

/** What a new app needs before a device gets its first update. Once a device has asked, it is shown until one leaves. */
export function FirstSteps({ app, builds }: { readonly app: App; readonly builds: readonly Build[] }) {
  const [making, setMaking] = useState(false);
  /** The key that was made here; it is known to this page alone. */
  const [secret, setSecret] = useState<string>();
  const [wasNeeded, setNeeded] = useState(false);
  const hasBuild = builds.some(({ status }) => status !== 'failed');
  const keys = useList<ApiKey>(`/apps/${app.id}/api-keys${query({ per_page: 50 })}`, ['keys', app.id], {
    refetchInterval: ({ state }) => (hasBuild && lastUse(state.data?.data) === undefined ? REFRESH_MS : false),
  });
  const check = useFirstCheck(app, builds, secret);
  if (keys.data === undefined || check === undefined) return null;
  const hasKey = keys.data.meta.total > 0;
  const checked = lastUse(keys.data.data);
  const isNeeded = !hasKey || !hasBuild || checked === undefined;
  if (isNeeded && !wasNeeded) setNeeded(true);
  if (!isNeeded && !wasNeeded) return null;
  const channel = channelToCheck(builds);
  return (
    <Section title="First steps">
      <ol className="first-steps">
        <li>
          Upload a build: a zip of your app’s web files<span className="by-mouse">, dropped onto a channel below</span>.{' '}
          {hasBuild && <Done />}
        </li>
        <li>
          Make an API key and build it into your app: devices ask with it.{' '}
          {hasKey ? <Done /> : <Button onClick={() => setMaking(true)}>Make an API key</Button>}
          {secret !== undefined && <Copyable text={secret} label="the key" />}
        </li>
        <li>
          Ask {channel} as a device would
          {secret === undefined && hasKey && (
            <>
              , with your key from <Link to={`/apps/${app.id}/api-keys`}>API keys</Link>
            </>
          )}
          :
          <Copyable text={check} label="the command" block />
        </li>
        <li>
          <span role="status">
            {checked !== undefined ? (
              <>
                First update check received <Time at={checked} />. <Done />
              </>
            ) : hasBuild && hasKey ? (
              <>
                <span className="spinner" aria-hidden="true" /> Waiting for the first update check …
              </>
            ) : (
              'The first update check is shown here when it arrives.'
            )}
          </span>
        </li>
      </ol>
      <Modal title="New API key" open={making} close={() => setMaking(false)}>
        <MakeKey
          app={app}
          full={false}
          close={() => setMaking(false)}
          made={({ plaintext_key: key }) => {
            setMaking(false);
            setSecret(key);
          }}
        />
      </Modal>
    </Section>
  );
}

/** When any of the keys was last used; undefined: none was. */
function lastUse(keys: readonly ApiKey[] | undefined): string | undefined {
  return keys
    ?.flatMap(({ last_used_at: at }) => at ?? [])
    .sort()
    .at(-1);
}

const Done = () => <Badge tone="good">done</Badge>;
