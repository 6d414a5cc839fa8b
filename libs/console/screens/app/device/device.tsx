import type { App } from '@sluice/contracts';
import { useState } from 'react';
import { Section } from '../../../parts/page';
import * as texts from '../../../texts/device';
import { DeleteDevice } from './delete-device';
import { ExplainForm, type Explained, type ExplainInput } from './explain-form';
import { ExplanationSteps } from './explanation';
import { DeviceGroups } from './device-groups';
import { ExportDevice } from './export-device';
import { PinDevice } from './pin-device';

/** Which build a device gets and why, and the data stored of it. */
export function Device({ app }: { readonly app: App }) {
  const [input, setInput] = useState<ExplainInput>({
    device: '',
    version: '',
    app_version: '',
    fingerprint: '',
    embedded_version: '',
    attributes: '',
    platform: app.platform === 'android' ? 'android' : 'ios',
    channel: 'production',
  });
  // The ID is typed once, in any of the forms.
  const same = { app, device: input.device, change: (device: string) => setInput({ ...input, device }) };
  const [explained, setExplained] = useState<Explained>();
  return (
    <>
      <Section title={texts.lookup}>
        <p className="dim">{texts.lookupHelp}</p>
        <ExplainForm
          app={app}
          input={input}
          change={(part) => setInput({ ...input, ...part })}
          explained={setExplained}
        />
      </Section>
      {explained !== undefined && (
        <ExplanationSteps
          app={app}
          of={explained}
          isOutdated={JSON.stringify(explained.input) !== JSON.stringify(input)}
        />
      )}
      <PinDevice {...same} />
      <DeviceGroups app={app} />
      <ExportDevice {...same} />
      <DeleteDevice {...same} />
    </>
  );
}
