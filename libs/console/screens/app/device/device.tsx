import type { App } from '@sluice/contracts';
import { useState } from 'react';
import { Section } from '../../../parts/page';
import { ExplainForm, type Question, type Wish } from './explain-form';
import { ExplanationSteps } from './explanation';
import { ExportDevice } from './export-device';
import { ForgetDevice } from './forget-device';

/** Why a device gets the build it gets; and what is kept of it. */
export function Device({ app }: { readonly app: App }) {
  const [wish, setWish] = useState<Wish>({
    device: '',
    version: '',
    app_version: '',
    platform: app.platform === 'android' ? 'android' : 'ios',
    channel: 'production',
  });
  const [question, setQuestion] = useState<Question>();
  return (
    <>
      <Section title="Why does this device get this build?">
        <ExplainForm app={app} wish={wish} change={(part) => setWish({ ...wish, ...part })} answered={setQuestion} />
      </Section>
      {question !== undefined && (
        <ExplanationSteps question={question} isOld={JSON.stringify(question.wish) !== JSON.stringify(wish)} />
      )}
      <ExportDevice app={app} />
      <ForgetDevice app={app} />
    </>
  );
}
