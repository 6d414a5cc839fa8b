import type { ApiKey, App, Build } from '@sluice/contracts';
import { useState } from 'react';
import { Link } from 'wouter';
import { query } from '../../../api/client';
import { useList } from '../../../api/queries';
import { Button } from '../../../parts/button';
import { Modal } from '../../../parts/dialog';
import { Section } from '../../../parts/page';
import { Badge, Copyable, Time } from '../../../parts/values';
import * as texts from '../../../texts/releases';
import { CreateKey } from '../api-keys/create-key';
import { ClientConfiguration } from '../first-check/client-configuration';
import { channelToCheck } from '../first-check/first-check';
import { useFirstCheck } from '../first-check/use-first-check';
import { useBuildActions } from './build-dialogs';

/** An update check is no event, so the page polls while it waits for the first one. */
const REFRESH_MS = 3_000;

/** The steps of a new app up to its first update check. It stays until the page is left. */
export function FirstSteps({ app, builds }: { readonly app: App; readonly builds: readonly Build[] }) {
  const start = useBuildActions();
  const [isCreating, setCreating] = useState(false);
  /** The key that was created here; only this page has it. */
  const [secret, setSecret] = useState<string>();
  const [wasNeeded, setNeeded] = useState(false);
  const hasBuild = builds.some(({ status }) => status !== 'failed');
  const keys = useList<ApiKey>(`/apps/${app.id}/api-keys${query({ per_page: 50 })}`, ['keys', app.id], {
    refetchInterval: ({ state }) => (hasBuild && !hasUpdated(state.data?.data) ? REFRESH_MS : false),
  });
  const check = useFirstCheck(app, builds, secret);
  if (keys.data === undefined || check === undefined) return null;
  const hasKey = keys.data.meta.total > 0;
  const checked = lastUse(keys.data.data);
  const got = lastCheck(keys.data.data);
  const isNeeded = !hasKey || !hasBuild || checked === undefined;
  if (isNeeded && !wasNeeded) setNeeded(true);
  if (!isNeeded && !wasNeeded) return null;
  return (
    <Section title={texts.firstSteps}>
      <ol className="first-steps">
        <li>
          {texts.uploadStep}{' '}
          {hasBuild ? (
            <Done />
          ) : (
            <Button onClick={() => start({ kind: 'upload', channel: 'production' })}>{texts.uploadFirst}</Button>
          )}
        </li>
        <li>
          {texts.keyStep} {hasKey ? <Done /> : <Button onClick={() => setCreating(true)}>{texts.createKey}</Button>}
          {secret !== undefined && <Copyable text={secret} label={texts.theKey} />}
        </li>
        <li>
          {texts.checkStep(
            channelToCheck(builds),
            secret === undefined && hasKey ? <Link to={`/apps/${app.id}/api-keys`}>{texts.apiKeys}</Link> : undefined,
          )}
          <Copyable text={check} label={texts.theCommand} block />
        </li>
        <li>
          <span role="status">
            {checked !== undefined ? (
              <>
                {got === undefined
                  ? texts.received(<Time at={checked} />)
                  : texts.firstGot(got.platform, clock.format(new Date(got.at)), got.version)}{' '}
                {got?.version !== null && <Done />}
              </>
            ) : hasBuild && hasKey ? (
              <>
                <span className="spinner" aria-hidden="true" /> {texts.waiting}
              </>
            ) : (
              texts.notReceived
            )}
          </span>
        </li>
        <li>
          <ClientConfiguration app={app} builds={builds} secret={secret} />
        </li>
      </ol>
      <Modal title={texts.newKey} open={isCreating} close={() => setCreating(false)}>
        <CreateKey
          app={app}
          full={undefined}
          close={() => setCreating(false)}
          made={({ plaintext_key: key }) => {
            setCreating(false);
            setSecret(key);
          }}
        />
      </Modal>
    </Section>
  );
}

/** The last use of any of the keys; undefined: none was used. */
function lastUse(keys: readonly ApiKey[] | undefined): string | undefined {
  return keys
    ?.flatMap(({ last_used_at: at }) => at ?? [])
    .sort()
    .at(-1);
}

/** The last update check with any of the keys; undefined: none that the server recorded. */
function lastCheck(keys: readonly ApiKey[] | undefined): NonNullable<ApiKey['last_check']> | undefined {
  return (
    keys
      // A server of an earlier release does not return it.
      ?.flatMap(({ last_check: check }) => check ?? [])
      .sort((a, b) => (a.at < b.at ? -1 : 1))
      .at(-1)
  );
}

/** Whether a device got an update. */
const hasUpdated = (keys: readonly ApiKey[] | undefined): boolean =>
  lastUse(keys) !== undefined && lastCheck(keys)?.version !== null;

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

const Done = () => <Badge tone="good">{texts.done}</Badge>;
