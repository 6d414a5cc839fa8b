import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { api, ApiError } from './client';
import { showSecret } from './shown-secret';
import { endPause, signedInAs, signedInOwner } from './ended-session';

export interface Session {
  readonly owner: { readonly id: number; readonly name: string; readonly operator: boolean };
  readonly expires_at: string | null;
}

/** The owner who is signed in, or null. */
export function useSession() {
  return useQuery({
    queryKey: ['session'],
    queryFn: async (): Promise<Session | null> => {
      try {
        const session = await api.get<Session>('/session');
        signedInAs(session.owner.id);
        return session;
      } catch (error) {
        if (isUnauthenticated(error)) return null;
        throw error;
      }
    },
    staleTime: 60_000,
  });
}

/** Whether this is the installation's first owner, who alone works with the listings module. */
export function useIsOperator(): boolean {
  return useSession().data?.owner.operator === true;
}

const begin = (ownerKey: string): Promise<Session> => api.post<Session>('/session', { owner_key: ownerKey });

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({ mutationFn: begin, onSuccess: (session) => becomes(client, session) });
}

/** After a session that ended during some work: to continue it, or to leave it. */
export function useSignInAgain() {
  const client = useQueryClient();
  const signIn = useMutation({
    mutationFn: begin,
    onSuccess: (session) => {
      // Nothing of one owner is shown to another, or sent as theirs.
      if (session.owner.id !== signedInOwner()) {
        location.reload();
        return;
      }
      client.setQueryData(['session'], session);
      endPause();
    },
  });
  const leave = (): void => becomes(client, null);
  return { signIn, leave };
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      api.delete('/session').catch((error: unknown) => {
        if (!isUnauthenticated(error)) throw error;
      }),
    onSuccess: () => becomes(client, null),
  });
}

const isUnauthenticated = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** What somebody else was shown is not kept. */
function becomes(client: QueryClient, session: Session | null): void {
  signedInAs(session?.owner.id);
  showSecret(undefined);
  client.removeQueries({ predicate: ({ queryKey: [topic] }) => topic !== 'session' });
  client.setQueryData(['session'], session);
}
