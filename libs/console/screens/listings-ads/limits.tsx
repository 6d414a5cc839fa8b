import { Section } from '../../parts/page';

/** What the module can’t do, in plain words. */
export function Limits() {
  return (
    <Section title="Good to know">
      <ul>
        <li>
          It needs a merchant account that you have access to and an OAuth client of your own. None comes with it; until
          both are set up at Google it does nothing.
        </li>
        <li>
          A product that you edit in the shop is sent with the next scheduled sync, not immediately. Start a sync to
          send it sooner.
        </li>
        <li>The status of an offer at Google is as of the last sync.</li>
        <li>
          Other modules that push to the same merchant account are not detected.{' '}
          <strong>A store should run only one.</strong>
        </li>
        <li>It pushes your products and nothing else: it changes no price, no cart and no page of the store.</li>
        <li>It sets no quota of its own. Google’s quotas apply.</li>
      </ul>
    </Section>
  );
}
