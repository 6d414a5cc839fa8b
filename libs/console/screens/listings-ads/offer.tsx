import type { Mapping } from '@sluice/contracts';
import { Modal } from '../../parts/dialog';
import { Facts } from '../../parts/page';
import { Badge, type Tone, Status, Time } from '../../parts/values';
import { isWebAddress } from '../../parts/web-address';
import { STATUS_WORDS } from './statuses';

type Issue = Mapping['validation_issues'][number];

const SEVERITIES: Readonly<Record<Issue['severity'], readonly [Tone, string]>> = {
  disapproved: ['bad', 'keeps it from being shown'],
  demoted: ['warn', 'has it shown less'],
  not_impacted: ['dim', 'changes nothing now'],
};

/** One offer with everything that is known of it. */
export function Offer({ offer, close }: { readonly offer: Mapping | undefined; readonly close: () => void }) {
  return (
    <Modal title={`Offer ${offer?.offer_id ?? ''}`} open={offer !== undefined} close={close}>
      {offer !== undefined && (
        <>
          <p>
            <Status of={offer.listing_status} /> {STATUS_WORDS[offer.listing_status]}
          </p>
          {offer.last_error !== null && (
            <div className="note danger">
              <p>
                It failed {offer.failed_attempts === 1 ? 'once' : `${offer.failed_attempts} times in a row`}:{' '}
                {offer.last_error}
              </p>
            </div>
          )}
          <Issues issues={offer.validation_issues} />
          <Facts
            facts={{
              Product: offer.product_id,
              Variation: offer.variation_id ?? <span className="dim">none</span>,
              Group: offer.item_group_id ?? <span className="dim">none</span>,
              'Listed for': `${offer.target_country}, ${offer.content_language}, ${offer.channel}`,
              'Last sent': <Time at={offer.last_synced_at} />,
              'Last seen there': <Time at={offer.last_status_at} />,
              Expires: <Time at={offer.expires_at} none="not known" />,
              'First made': <Time at={offer.created_at} />,
              'Id at Google': <code>{offer.remote_product_id ?? 'none yet'}</code>,
              'Hash of what was sent': <code>{offer.sync_hash ?? 'none yet'}</code>,
            }}
          />
        </>
      )}
    </Modal>
  );
}

function Issues({ issues }: { readonly issues: readonly Issue[] }) {
  if (issues.length === 0) return <p className="dim">Google reports no issues.</p>;
  return (
    <section aria-label="Issues">
      <h3>Issues</h3>
      <ul className="issue-list">
        {issues.map((issue) => {
          const [tone, words] = SEVERITIES[issue.severity];
          return (
            <li key={`${issue.code}/${issue.attribute ?? ''}`}>
              <p>
                <Badge tone={tone}>{words}</Badge> {issue.description}
              </p>
              {issue.detail !== null && <p>{issue.detail}</p>}
              <small>
                <code>{issue.code}</code>
                {issue.attribute !== null && ` · attribute ${issue.attribute}`}
                {issue.countries.length > 0 && ` · ${issue.countries.join(', ')}`}
                {issue.documentation !== null && isWebAddress(issue.documentation) && (
                  <>
                    {' · '}
                    <a href={issue.documentation} target="_blank" rel="noreferrer">
                      What to do about it
                    </a>
                  </>
                )}
              </small>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
