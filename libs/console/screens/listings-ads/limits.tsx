import { Section } from '../../parts/page';

/** What the module can’t do, in plain words. */
export function Limits() {
  return (
    <Section title="Good to know">
      <ul>
        <li>
          It needs a merchant account that you have access to and an OAuth client of your own. None comes with it; until
          both are set up on the remote side it does nothing.
        </li>
        <li>
          A product that you edit in the store is pushed at the next scheduled sync, not at once. A sync now is faster.
        </li>
        <li>
          What the remote side thinks of an offer is shown as the last sync found it, and is no more current than that.
        </li>
        <li>
          Other modules that push to the same merchant account are not detected.{' '}
          <strong>A store should run only one.</strong>
        </li>
        <li>It pushes your products and nothing else: it changes no price, no cart and no page of the store.</li>
        <li>It sets no quota of its own. Those of the remote side apply.</li>
      </ul>
    </Section>
  );
}
