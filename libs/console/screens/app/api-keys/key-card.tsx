import type { ApiKey } from '@sluice/contracts';
import { Actions } from '../../../parts/menu';
import { Name } from '../../../parts/name';
import { Facts } from '../../../parts/page';
import { Status, Time } from '../../../parts/values';
import type { KeyAct } from './key-dialogs';
import { blockedWords, restrictionWords } from './restrictions-words';

export function KeyCard({ apiKey: key, act }: { readonly apiKey: ApiKey; readonly act: (act: KeyAct) => void }) {
  const revoked = key.status === 'revoked' ? 'A revoked key stays revoked.' : undefined;
  const notKept = key.recoverable ? undefined : 'Its plaintext is not kept. Rotate it instead.';
  const deprecated = key.status === 'deprecated' ? 'It is deprecated already.' : undefined;
  return (
    <li className="card api-key">
      <header className="head">
        <h3>
          <Name>{key.name}</Name>
        </h3>
        <Status of={key.status} />
        <Actions
          label={`Actions for ${key.name}`}
          entries={[
            { name: 'Show the key', act: () => act({ kind: 'reveal', key }), refused: revoked ?? notKept },
            { name: 'Restrictions', act: () => act({ kind: 'restrict', key }), refused: revoked },
            { name: 'Rotate', act: () => act({ kind: 'rotate', key }), danger: true, refused: revoked },
            {
              name: 'Deprecate',
              act: () => act({ kind: 'deprecate', key }),
              danger: true,
              refused: revoked ?? deprecated,
            },
            { name: 'Revoke', act: () => act({ kind: 'revoke', key }), danger: true, refused: revoked },
            { name: 'Delete', act: () => act({ kind: 'delete', key }), danger: true },
          ]}
        />
      </header>
      <code>{key.key_preview}</code>
      <Facts
        facts={{
          'May be used by': restrictionWords(key.restrictions),
          'Last used': <Time at={key.last_used_at} />,
          Made: <Time at={key.created_at} />,
          Rotated: <Time at={key.rotated_at} />,
        }}
      />
      <Blocked apiKey={key} />
    </li>
  );
}

function Blocked({ apiKey: key }: { readonly apiKey: ApiKey }) {
  if (key.blocked_count === 0) {
    return key.unrestricted ? null : <p className="dim">No caller has been refused.</p>;
  }
  const times = key.blocked_count === 1 ? '1 call was' : `${key.blocked_count.toLocaleString()} calls were`;
  return (
    <p className="note warn">
      <span>
        {times} refused, the last <Time at={key.last_blocked_at} />: {blockedWords(key.last_blocked_reason)}.
      </span>
    </p>
  );
}
