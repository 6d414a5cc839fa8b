export async function mount() {
  throw new Error('This update can’t show itself.');
}
