import type { App, Build } from '@sluice/contracts';
import { useState } from 'react';
import { Button } from '../../../parts/button';
import { Modal } from '../../../parts/dialog';
import { SelectField } from '../../../parts/form';
import { useDialog } from '../../../parts/send';
import { Copyable } from '../../../parts/values';
import { useWanted } from '../../../parts/wanted';
import * as texts from '../../../texts/clients';
import { CLIENTS, type ClientName } from '../../../texts/clients';
import { useBuilds } from '../../builds/data';
import { useClientValues } from './use-first-check';

interface ClientConfigurationProps {
  readonly app: App;
  readonly builds: readonly Build[];
  readonly secret?: string | undefined;
}

/** What the client of the app needs, with the key, the address and the channel filled in. */
export function ClientConfiguration({ app, builds, secret }: ClientConfigurationProps) {
  const [chosen, setChosen] = useState<ClientName>('capgo');
  const values = useClientValues(app, builds, secret);
  const { file, guide, configuration } = CLIENTS[chosen];
  const options = Object.entries(CLIENTS).map(([id, { name }]) => [id as ClientName, name] as const);
  if (values === undefined) return null;
  return (
    <>
      {texts.step}
      <SelectField name="client" label={texts.client} value={chosen} change={setChosen} options={options} />
      <p>
        {texts.inFile(file)} {/* In a new tab, because this page shows the key only until it is left. */}
        <a href={`/docs/guides/${guide}`} target="_blank" rel="noopener">
          {texts.guide}
        </a>
      </p>
      <Copyable text={configuration(values)} label={texts.configuration} block />
    </>
  );
}

/** A button that shows the configuration in a dialog, after the first steps of an app are done. */
export function Configure({ app }: { readonly app: App }) {
  const { show, dialog } = useDialog();
  const builds = useBuilds(app, {}).data?.data ?? [];
  useWanted(({ what }) => {
    if (what === 'configure') show(true);
  });
  return (
    <>
      <Button onClick={() => show(true)}>{texts.configure}</Button>
      <Modal title={texts.title} wide {...dialog}>
        <div className="form">
          <ClientConfiguration app={app} builds={builds} />
        </div>
        <p className="dim">{texts.withKey}</p>
      </Modal>
    </>
  );
}
