/** Binds fields to the members of what they change; `path`: where the server has those. */
export const bind =
  <Draft extends object>(draft: Draft, change: (changes: Partial<Draft>) => void, path = '') =>
  <Name extends keyof Draft & string>(name: Name) => ({
    name: path + name,
    value: draft[name],
    change: (value: Draft[Name]): void => change({ [name]: value } as unknown as Partial<Draft>),
  });
