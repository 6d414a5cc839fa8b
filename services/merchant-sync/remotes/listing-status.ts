import { z } from 'zod';
import type { ValidationIssue } from '../products/domain/offer';
import type { RemoteStatus } from './remote-catalog';

const countries = z.array(z.string()).default([]);
const text = z.string().optional();

/** What either interface reports of a product. Each names the context, the severity and the attribute its own way. */
export const productStatus = z.object({
  destinationStatuses: z
    .array(
      z.object({
        reportingContext: text,
        destination: text,
        approvedCountries: countries,
        pendingCountries: countries,
        disapprovedCountries: countries,
      }),
    )
    .default([]),
  itemLevelIssues: z
    .array(
      z.object({
        code: z.string(),
        severity: text,
        servability: text,
        attribute: text,
        attributeName: text,
        description: z.string().default(''),
        detail: text,
        documentation: text,
        applicableCountries: countries,
      }),
    )
    .default([]),
  googleExpirationDate: text,
});
type ProductStatus = z.output<typeof productStatus>;

/** Destinations of the Content API, as the contexts of the Merchant API. */
const CONTEXTS: Readonly<Record<string, string>> = {
  Shopping: 'SHOPPING_ADS',
  SurfacesAcrossGoogle: 'FREE_LISTINGS',
};

export function reportedStatus(status: ProductStatus): Pick<RemoteStatus, 'listingStatus' | 'issues' | 'expiresAt'> {
  return {
    listingStatus: listingStatusOf(status.destinationStatuses),
    issues: status.itemLevelIssues.map((issue) => ({
      code: issue.code,
      severity: severityOf(issue.severity ?? issue.servability),
      attribute: issue.attribute ?? issue.attributeName ?? null,
      description: issue.description,
      detail: issue.detail ?? null,
      documentation: issue.documentation ?? null,
      countries: issue.applicableCountries,
    })),
    expiresAt: status.googleExpirationDate ?? null,
  };
}

/**
 * The listing's status in the first available context: SHOPPING_ADS, else FREE_LISTINGS, else the first one
 * listed. Undefined when the merchant API returns no status.
 */
function listingStatusOf(statuses: ProductStatus['destinationStatuses']): RemoteStatus['listingStatus'] {
  const named = (name: string) =>
    statuses.find(
      ({ reportingContext, destination = '' }) => (reportingContext ?? CONTEXTS[destination] ?? destination) === name,
    );
  const counting = named('SHOPPING_ADS') ?? named('FREE_LISTINGS') ?? statuses[0];
  if (counting === undefined) return undefined;
  if (counting.disapprovedCountries.length > 0) return 'disapproved';
  if (counting.pendingCountries.length > 0) return 'pending';
  return counting.approvedCountries.length > 0 ? 'approved' : undefined;
}

const SEVERITIES: Readonly<Record<string, ValidationIssue['severity']>> = {
  NOT_IMPACTED: 'not_impacted',
  UNAFFECTED: 'not_impacted',
  DEMOTED: 'demoted',
  DISAPPROVED: 'disapproved',
};

/** By the name that either interface gives it, in whatever case. */
function severityOf(name: string | undefined): ValidationIssue['severity'] {
  return SEVERITIES[(name ?? '').toUpperCase()] ?? 'not_impacted';
}
