import type { ApiKey, App } from '@sluice/contracts';
import { usePaged } from '../../../api/queries';
import { Configure } from '../first-check/client-configuration';
import { Button } from '../../../parts/button';
import { Section } from '../../../parts/page';
import { Listed } from '../../../parts/pager';
import { useFreshDialog } from '../../../parts/send';
import { Empty } from '../../../parts/states';
import { useWanted } from '../../../parts/wanted';
import * as texts from '../../../texts/api-keys';
import { ChannelKeys } from './channel-keys';
import { KeyCard } from './key-card';
import { KeyDialog, type KeyAct } from './key-dialogs';
import './api-keys.css';

/** How many keys of an app may be active. */
const LIMIT = 3;

/** The keys that devices of the app send. */
export function ApiKeys({ app }: { readonly app: App }) {
  const { shown, show, dialog } = useFreshDialog<KeyAct>();
  const { list: keys, turn } = usePaged<ApiKey>(`/apps/${app.id}/api-keys`, ['keys', app.id], {
    // Uses and blocked requests of a key are no events.
    refetchInterval: 15_000,
  });
  useWanted(({ what }) => {
    if (what === 'create') show({ kind: 'make' });
  });
  const active = keys.data?.data.filter(({ status }) => status === 'active').length ?? 0;
  const make = (
    <>
      <Configure app={app} />
      <Button kind="primary" onClick={() => show({ kind: 'make' })}>
        {texts.newKey}
      </Button>
    </>
  );
  return (
    <>
      <Section title={texts.title} actions={make}>
        <p className="dim">{texts.lead}</p>
        {keys.data !== undefined && <p className="dim">{texts.activeKeys(active, LIMIT)}</p>}
        <Listed
          of={keys}
          turn={turn}
          what={texts.loading}
          empty={
            <Empty title={texts.noKeys}>
              <p>{texts.firstKey}</p>
              {make}
            </Empty>
          }
        >
          {(rows) => (
            <ul className="cards">
              {rows.map((key) => (
                <KeyCard key={key.id} apiKey={key} act={show} />
              ))}
            </ul>
          )}
        </Listed>
        {shown.about !== undefined && (
          <KeyDialog
            key={shown.key}
            app={app}
            act={shown.about}
            full={active >= LIMIT ? LIMIT : undefined}
            {...dialog}
          />
        )}
      </Section>
      <ChannelKeys app={app} />
    </>
  );
}
