/** Every stream of keys ends with the id of its app. */
export const appOfStream = ({ stream }: { readonly stream: string }): number =>
  Number(stream.slice(stream.lastIndexOf('-') + 1));
