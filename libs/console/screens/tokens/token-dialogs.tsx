import type { AccessToken } from '@sluice/contracts';
import { api } from '../../api/client';
import { Confirm, Modal } from '../../parts/dialog';
import * as texts from '../../texts/tokens';
import { showToken, TokenForm, type TokenWithSecret } from './token-form';

/** Which dialog is open, and of which token. */
export type TokenAct =
  { readonly kind: 'make' } | { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly token: AccessToken };

interface TokenDialogsProps {
  readonly act: TokenAct | undefined;
  readonly close: () => void;
}

export function TokenDialogs({ act, close }: TokenDialogsProps) {
  const token = act === undefined || act.kind === 'make' ? undefined : act.token;
  const path = `/tokens/${token?.id ?? ''}`;
  return (
    <>
      <Modal title={texts.newToken} open={act?.kind === 'make'} close={close}>
        <TokenForm close={close} />
      </Modal>
      <Modal title={texts.editTitle(token?.name ?? '')} open={act?.kind === 'edit'} close={close}>
        {token !== undefined && <TokenForm token={token} close={close} />}
      </Modal>
      <Confirm
        title={texts.rotateTitle(token?.name ?? '')}
        verb={texts.rotate}
        open={act?.kind === 'rotate'}
        close={close}
        confirm={async () => showToken(await api.post<TokenWithSecret>(`${path}/rotate`))}
        refresh={[['tokens']]}
      >
        <p>{texts.rotateEffect}</p>
      </Confirm>
      <Confirm
        title={texts.revokeTitle(token?.name ?? '')}
        verb={texts.revokePermanently}
        open={act?.kind === 'revoke'}
        close={close}
        confirm={() => api.post(`${path}/revoke`)}
        refresh={[['tokens']]}
        toast={texts.revoked}
      >
        <p>{texts.revokeEffect}</p>
      </Confirm>
    </>
  );
}
