import { Section } from '../../parts/page';
import * as texts from '../../texts/listings/module';

/** The limits of the module, and what it needs while the shop is not connected. */
export function Limits({ isConnected = false }: { readonly isConnected?: boolean }) {
  return (
    <Section title={texts.limitsTitle}>
      <ul>
        {!isConnected && <li>{texts.needs}</li>}
        {texts.limits.map((limit, index) => (
          <li key={index}>{limit}</li>
        ))}
      </ul>
    </Section>
  );
}
