import type { ApiKey, Restrictions } from '@sluice/contracts';
import { Actions } from '../../../parts/menu';
import { Name } from '../../../parts/name';
import { Facts } from '../../../parts/page';
import { Status, Time } from '../../../parts/values';
import * as texts from '../../../texts/api-keys';
import type { KeyAct } from './key-dialogs';

export function KeyCard({ apiKey: key, act }: { readonly apiKey: ApiKey; readonly act: (act: KeyAct) => void }) {
  const revoked = key.status === 'revoked' ? texts.staysRevoked : undefined;
  const notStored = key.recoverable ? undefined : texts.notStored;
  const deprecated = key.status === 'deprecated' ? texts.alreadyDeprecated : undefined;
  return (
    <li className="card api-key">
      <header className="head">
        <h3>
          <Name>{key.name}</Name>
        </h3>
        <Status of={key.status} />
        <Actions
          label={texts.actionsFor(key.name)}
          entries={[
            { name: texts.show, act: () => act({ kind: 'reveal', key }), disabledReason: revoked ?? notStored },
            { name: texts.restrictions, act: () => act({ kind: 'restrict', key }), disabledReason: revoked },
            { name: texts.rotate, act: () => act({ kind: 'rotate', key }), danger: true, disabledReason: revoked },
            {
              name: texts.deprecate,
              act: () => act({ kind: 'deprecate', key }),
              danger: true,
              disabledReason: revoked ?? deprecated,
            },
            { name: texts.revoke, act: () => act({ kind: 'revoke', key }), danger: true, disabledReason: revoked },
            { name: texts.deleteKey, act: () => act({ kind: 'delete', key }), danger: true },
          ]}
        />
      </header>
      <code>{key.key_preview}</code>
      <Facts
        facts={{
          [texts.restrictions]: callersOf(key.restrictions),
          [texts.lastUsed]: <Time at={key.last_used_at} />,
          [texts.created]: <Time at={key.created_at} />,
          [texts.rotated]: <Time at={key.rotated_at} />,
        }}
      />
      <Blocked apiKey={key} />
    </li>
  );
}

const callersOf = ({ origins = [], android = [], ios = [], channels = [] }: Restrictions): string =>
  texts.callers(origins.length, android.length, ios.length, channels);

function Blocked({ apiKey: key }: { readonly apiKey: ApiKey }) {
  if (key.blocked_count === 0) {
    return key.unrestricted ? null : <p className="dim">{texts.noneBlocked}</p>;
  }
  const reason = key.last_blocked_reason;
  return (
    <p className="note warn">
      <span>
        {texts.blocked(
          key.blocked_count,
          <Time at={key.last_blocked_at} />,
          reason === null ? texts.unknownReason : (texts.blockedReasons[reason] ?? reason.replaceAll('_', ' ')),
        )}
      </span>
    </p>
  );
}
