/** Shows the app in the element. The page confirms the bundle once it resolves. */
export async function mount(root) {
  root.textContent = 'An update that works';
}
