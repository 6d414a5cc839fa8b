/** The id of the app is the second part of the name of every stream of keys. */
export const appOfStream = ({ stream }: { readonly stream: string }): number => Number(stream.split('-', 2)[1]);
