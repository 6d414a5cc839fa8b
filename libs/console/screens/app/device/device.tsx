import type { App } from '@sluice/contracts';
import { useState } from 'react';
import { Section } from '../../../parts/page';
import { ExplainForm, type Question } from './explain-form';
import { ExplanationSteps } from './explanation';
import { ForgetDevice } from './forget-device';

/** Why a device gets the build it gets; and what is kept of it. */
export function Device({ app }: { readonly app: App }) {
  const [question, setQuestion] = useState<Question>();
  return (
    <>
      <Section title="Why does this device get this build?">
        <ExplainForm app={app} answered={setQuestion} />
      </Section>
      {question !== undefined && <ExplanationSteps question={question} />}
      <ForgetDevice app={app} />
    </>
  );
}
