import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { api, ApiError } from './client';

export interface Session {
  readonly owner: { readonly id: number; readonly name: string; readonly operator: boolean };
  readonly expires_at: string | null;
}

/** Who is signed in; null when nobody is. */
export function useSession() {
  return useQuery({
    queryKey: ['session'],
    queryFn: async (): Promise<Session | null> => {
      try {
        return await api.get<Session>('/session');
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return null;
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

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ownerKey: string) => api.post<Session>('/session', { owner_key: ownerKey }),
    onSuccess: (session) => becomes(client, session),
  });
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.delete('/session'),
    onSuccess: () => becomes(client, null),
  });
}

/** What somebody else was shown is not kept. */
function becomes(client: QueryClient, session: Session | null): void {
  client.removeQueries({ predicate: ({ queryKey: [topic] }) => topic !== 'session' });
  client.setQueryData(['session'], session);
}
