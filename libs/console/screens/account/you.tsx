import type { Owner, Storage } from '@sluice/contracts';
import { api } from '../../api/client';
import { useGet } from '../../api/queries';
import { signedInAs } from '../../api/ended-session';
import { showSecret } from '../../api/shown-secret';
import { useSession } from '../../api/session';
import { Button } from '../../parts/button';
import { Confirm } from '../../parts/dialog';
import { CheckField } from '../../parts/form';
import { Facts, Section } from '../../parts/page';
import { useDialog } from '../../parts/send';
import { setSingleKeysOn, useSingleKeysOn } from '../../parts/single-keys';
import { QueryState } from '../../parts/states';
import { size, Time } from '../../parts/values';
import * as texts from '../../texts/account';
import * as paletteTexts from '../../texts/palette';

export function You() {
  const { show, dialog } = useDialog();
  const session = useSession();
  const owner = useGet<Owner>('/owner', ['owner', null]);
  const storage = useGet<Storage>('/storage', ['storage', null]);
  return (
    <Section title={texts.you} actions={<Button onClick={() => show(true)}>{texts.rotateYourKey}</Button>}>
      <QueryState of={owner} what={texts.loadingYou} />
      {owner.data !== undefined && (
        <Facts
          facts={{
            [texts.name]: owner.data.name,
            [texts.number]: owner.data.id,
            [texts.role]: owner.data.operator ? texts.operator : texts.ownerOfApps,
            [texts.created]: <Time at={owner.data.created_at} />,
            [texts.storage]:
              storage.data === undefined
                ? texts.loadingStorage
                : texts.used(size(storage.data.used_bytes), size(storage.data.limit_bytes)),
            [texts.keyRotated]: <Time at={owner.data.key_rotated_at} />,
            [texts.sessionEnds]: (
              <>
                <Time at={session.data?.expires_at ?? null} ahead />
                {texts.ifIdle}
              </>
            ),
          }}
        />
      )}
      <h3>{paletteTexts.preferences}</h3>
      <CheckField
        name="single_keys"
        label={paletteTexts.singleKeys}
        help={paletteTexts.singleKeysHelp}
        value={useSingleKeysOn()}
        change={setSingleKeysOn}
      />
      <Confirm
        title={texts.rotateYourKey}
        verb={texts.createKey}
        {...dialog}
        refresh={[['session']]}
        confirm={async () => {
          const { owner_key: key } = await api.post<{ owner_key: string }>('/owner/rotate-key');
          showSecret({
            title: texts.yourNewKey,
            label: texts.ownerKey,
            secret: key,
            note: <p className="dim">{texts.afterRotation}</p>,
          });
          // This session has ended too: the sign-in comes next, not a repeat of the request.
          signedInAs(undefined);
        }}
      >
        <p>{texts.beforeRotation}</p>
      </Confirm>
    </Section>
  );
}
