import { Section } from '../../parts/page';
import * as texts from '../../texts/listings/module';

/** The limits of the module. */
export function Limits() {
  return (
    <Section title={texts.limitsTitle}>
      <ul>
        {texts.limits.map((limit, index) => (
          <li key={index}>{limit}</li>
        ))}
      </ul>
    </Section>
  );
}
