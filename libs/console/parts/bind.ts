/** Binds fields to the members of an object; `path`: the prefix of their names on the server. */
export const bind =
  <Draft extends object>(draft: Draft, change: (changes: Partial<Draft>) => void, path = '') =>
  <Name extends keyof Draft & string>(name: Name) => ({
    name: path + name,
    value: draft[name],
    change: (value: Draft[Name]): void => change({ [name]: value } as unknown as Partial<Draft>),
  });
