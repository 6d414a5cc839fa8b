import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Built into dist/console, which the gateway serves at /console. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    // A page of a strict policy loads nothing that is written into it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    // Texts are constants of modules: without the names by which screens import them, the console is 2 % smaller.
    rolldownOptions: { optimization: { inlineConst: true } },
    reportCompressedSize: false,
  },
  logLevel: 'warn',
});
