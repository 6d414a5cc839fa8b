import eslint from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

const TEXT_PROPS = '/^(alt|aria-label|aria-description|help|label|lead|note|placeholder|said|title|verb|what)$/';
const MOVE_TEXT = 'Move this text to libs/console/texts.';

/** Texts that a person reads, written into a screen. */
const TEXTS_IN_SCREENS = [
  'JSXText[value=/\\p{L}/u]',
  'Literal[value=/^\\p{Lu}\\p{Ll}/u]',
  'TemplateElement[value.raw=/^\\p{Lu}\\p{Ll}/u]',
  `JSXAttribute[name.name=${TEXT_PROPS}] Literal[value=/\\p{L}/u]`,
  `JSXAttribute[name.name=${TEXT_PROPS}] TemplateElement[value.raw=/\\p{L}/u]`,
  'JSXAttribute[name.name="facts"] Property[computed=false]',
  // Words in a row, unless they are CSS classes or the error of a programmer.
  'Literal[value=/\\p{L} \\p{L}+ \\p{L}/u]:not(ThrowStatement Literal, JSXAttribute[name.name="className"] Literal)',
  'TemplateElement[value.raw=/ \\p{L}+ | …$/u]:not(JSXAttribute[name.name="className"] TemplateElement)',
].map((selector) => ({ selector, message: MOVE_TEXT }));

export default tseslint.config(
  { ignores: ['dist/**', 'data/**', 'coverage/**', 'deploy/**', '**/*.cjs', '**/*.mjs', 'libs/client/*-plane.ts'] },
  eslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Nest declares the shape of its options as classes.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: [
      'examples/**/*.ts',
      'libs/cli/**/*.ts',
      'libs/error-tracking/**/*.ts',
      'test/{abuse,browser,fuzz,load}/**/*.ts',
      'test/console/screenshots.ts',
      'test/language/check-words.ts',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.spec.ts', '**/*.contract.ts', '**/*.engine.ts', '{libs/testing,test}/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  {
    // Every text of the console is in libs/console/texts.
    files: ['libs/console/{parts,screens}/**/*.{ts,tsx}'],
    ignores: ['**/*.spec.ts'],
    rules: { 'no-restricted-syntax': ['error', ...TEXTS_IN_SCREENS] },
  },
  prettier,
);
