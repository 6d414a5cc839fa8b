import { Section } from '../../parts/page';
import { Copyable } from '../../parts/values';
import * as texts from '../../texts/tokens';
import { ciUpload } from './ci-upload';

/** How a token is put to use. */
export function InCi() {
  return (
    <Section title={texts.inCi}>
      <p>{texts.inCiSteps}</p>
      <Copyable text={ciUpload(location.origin)} label={texts.ciCommands} block />
      <p className="dim">{texts.inCiMore}</p>
    </Section>
  );
}
