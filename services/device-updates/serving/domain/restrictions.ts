/** The callers that may use a key: those that meet one entry of any kind. And for which channels. */
export interface Restrictions {
  readonly origins?: readonly string[] | undefined;
  readonly android?: readonly AndroidEntry[] | undefined;
  readonly ios?: readonly IosEntry[] | undefined;
  /** By name. */
  readonly channels?: readonly string[] | undefined;
}

interface AndroidEntry {
  readonly package_name: string;
  readonly sha256?: readonly string[] | undefined;
  readonly sha1?: readonly string[] | undefined;
}

interface IosEntry {
  readonly bundle_id: string;
  readonly team_id?: string | undefined;
}

/** What a caller says of itself; undefined where it says nothing. */
export interface CallerIdentity {
  readonly origin: string | undefined;
  readonly android_package: string | undefined;
  readonly android_cert_sha256: string | undefined;
  readonly android_cert_sha1: string | undefined;
  readonly ios_bundle_id: string | undefined;
  readonly ios_team_id: string | undefined;
}

export type Admits = (caller: CallerIdentity) => boolean;

export type BlockedReason =
  'origin_not_allowed' | 'android_app_not_allowed' | 'ios_app_not_allowed' | 'no_identity' | 'channel_not_allowed';

/** Prepares restrictions of callers for being asked often. Undefined: everybody is admitted. */
export function compileRestrictions({ origins = [], android = [], ios = [] }: Restrictions): Admits | undefined {
  if (origins.length + android.length + ios.length === 0) return undefined;
  const exact = new Set(origins.map((origin) => origin.toLowerCase()));
  const domains = new Set(origins.filter((origin) => origin.includes('://*.')).map((origin) => origin.toLowerCase()));
  const certificates = new Map<string, ReadonlySet<string>[]>();
  for (const entry of android) {
    certificates.set(entry.package_name, [...(certificates.get(entry.package_name) ?? []), fingerprintsOf(entry)]);
  }
  const bundles = new Map<string, (string | undefined)[]>();
  for (const { bundle_id, team_id } of ios) bundles.set(bundle_id, [...(bundles.get(bundle_id) ?? []), team_id]);

  const admitsOrigin = (origin: string): boolean => {
    const text = origin.toLowerCase();
    return (exact.has(text) && !domains.has(text)) || (domains.size > 0 && isSubdomain(text, domains));
  };
  const admitsAndroid = (name: string, { android_cert_sha256, android_cert_sha1 }: CallerIdentity): boolean =>
    certificates
      .get(name)
      ?.some(
        (fingerprints) =>
          fingerprints.size === 0 ||
          (android_cert_sha256 !== undefined && fingerprints.has(bareFingerprint(android_cert_sha256))) ||
          (android_cert_sha1 !== undefined && fingerprints.has(bareFingerprint(android_cert_sha1))),
      ) ?? false;
  // Fielded clients never send their team.
  const admitsIos = (bundleId: string, team: string | undefined): boolean =>
    bundles.get(bundleId)?.some((wanted) => wanted === undefined || team === undefined || team === wanted) ?? false;

  return (caller) =>
    (caller.origin !== undefined && admitsOrigin(caller.origin)) ||
    (caller.android_package !== undefined && admitsAndroid(caller.android_package, caller)) ||
    (caller.ios_bundle_id !== undefined && admitsIos(caller.ios_bundle_id, caller.ios_team_id));
}

/** Why a caller that was not admitted was not, told by what it said of itself alone. */
export function blockedReason(caller: CallerIdentity): BlockedReason {
  if (caller.android_package !== undefined) return 'android_app_not_allowed';
  if (caller.ios_bundle_id !== undefined) return 'ios_app_not_allowed';
  return caller.origin === undefined ? 'no_identity' : 'origin_not_allowed';
}

/** `https://a.b.example.com:8443` meets `https://*.b.example.com:8443` and `https://*.example.com:8443`. */
function isSubdomain(origin: string, domains: ReadonlySet<string>): boolean {
  const [scheme = '', host = ''] = origin.split('://', 2);
  if (!/^[a-z0-9_.-]+(:\d+)?$/.test(host)) return false;
  for (let dot = host.indexOf('.'); dot > 0; dot = host.indexOf('.', dot + 1)) {
    if (domains.has(`${scheme}://*${host.slice(dot)}`)) return true;
  }
  return false;
}

function fingerprintsOf({ sha256 = [], sha1 = [] }: AndroidEntry): ReadonlySet<string> {
  return new Set([...sha256, ...sha1].map(bareFingerprint));
}

/** Colons and case in fingerprints do not count. */
function bareFingerprint(text: string): string {
  return text.replaceAll(':', '').toLowerCase();
}
