import type { Mapping } from '@sluice/contracts';
import { Modal } from '../../parts/dialog';
import { Facts } from '../../parts/page';
import { Badge, type Tone, Status, Time } from '../../parts/values';
import { isWebAddress } from '../../parts/web-address';
import { WebLink } from '../../parts/web-link';
import * as texts from '../../texts/listings/offers';

type Issue = Mapping['validation_issues'][number];

const TONES: Readonly<Record<Issue['severity'], Tone>> = { disapproved: 'bad', demoted: 'warn', not_impacted: 'dim' };

/** All data of one offer. */
export function Offer({ offer, close }: { readonly offer: Mapping | undefined; readonly close: () => void }) {
  return (
    <Modal title={texts.offerTitle(offer?.offer_id ?? '')} open={offer !== undefined} close={close}>
      {offer !== undefined && (
        <>
          <p>
            <Status of={offer.listing_status} /> {texts.statusMeanings[offer.listing_status]}
          </p>
          {offer.last_error !== null && (
            <div className="note danger">
              <p>{texts.failed(offer.failed_attempts, offer.last_error)}</p>
            </div>
          )}
          <Issues issues={offer.validation_issues} />
          <Facts
            facts={{
              [texts.product]: offer.product_id,
              [texts.variation]: offer.variation_id ?? <span className="dim">{texts.none}</span>,
              [texts.group]: offer.item_group_id ?? <span className="dim">{texts.none}</span>,
              [texts.target]: `${offer.target_country}, ${offer.content_language}, ${offer.channel}`,
              [texts.lastSent]: <Time at={offer.last_synced_at} />,
              [texts.lastStatus]: <Time at={offer.last_status_at} />,
              [texts.expires]: <Time at={offer.expires_at} ahead none={texts.unknown} />,
              [texts.created]: <Time at={offer.created_at} />,
              [texts.idAtGoogle]: <code>{offer.remote_product_id ?? texts.noneYet}</code>,
              [texts.hash]: <code>{offer.sync_hash ?? texts.noneYet}</code>,
            }}
          />
        </>
      )}
    </Modal>
  );
}

function Issues({ issues }: { readonly issues: readonly Issue[] }) {
  if (issues.length === 0) return <p className="dim">{texts.noIssues}</p>;
  return (
    <section aria-label={texts.issues}>
      <h3>{texts.issues}</h3>
      <ul className="issue-list">
        {issues.map((issue) => (
          <li key={`${issue.code}/${issue.attribute ?? ''}`}>
            <p>
              <Badge tone={TONES[issue.severity]}>{texts.severities[issue.severity]}</Badge> {issue.description}
            </p>
            {issue.detail !== null && <p>{issue.detail}</p>}
            <small>
              <code>{issue.code}</code>
              {issue.attribute !== null && ` · ${texts.attribute(issue.attribute)}`}
              {issue.countries.length > 0 && ` · ${issue.countries.join(', ')}`}
              {issue.documentation !== null && isWebAddress(issue.documentation) && (
                <>
                  {' · '}
                  <WebLink address={issue.documentation}>{texts.howToFix}</WebLink>
                </>
              )}
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
}
