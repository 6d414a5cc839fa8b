import { relative, resolve } from 'node:path';
import { renderMermaidSVG } from 'beautiful-mermaid';

/** A heading's anchor, as GitHub makes it. */
export const githubAnchor = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Draws ```mermaid blocks as SVG, in the colours of the page. */
export function drawDiagrams(md) {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index];
    if (info.trim() !== 'mermaid') return fence(tokens, index, ...rest);
    const colors = { bg: 'var(--vp-c-bg)', fg: 'var(--vp-c-text-1)', muted: 'var(--vp-c-text-2)', transparent: true };
    // The renderer asks for a font from another host.
    const svg = renderMermaidSVG(content, { ...colors, font: 'system-ui' }).replace(/@import [^;]*;[^\n]*/, '');
    const labelled = svg.replace('<svg ', '<svg role="img" aria-label="Diagram" ');
    // As a value: Vue would drop the SVG's style element from a template.
    return `<div class="diagram" tabindex="0" v-html="${md.utils.escapeHtml(JSON.stringify(labelled))}"></div>`;
  };
}

/** Shows a link to a file outside `docs` as its text: the site does not contain that file. */
export function leaveOutsideLinks(md, docs) {
  md.core.ruler.push('outside-links', ({ tokens, env }) => {
    const isOutside = (href) =>
      !/^([a-z]+:|#)/.test(href) && relative(docs, resolve(docs, env.relativePath, '..', href)).startsWith('..');
    for (const { children } of tokens) {
      let outside = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') outside = isOutside(token.attrGet('href'));
        if (!outside || !token.type.startsWith('link_')) continue;
        token.tag = 'span';
        token.attrs = null;
        token.type = token.type.replace('link', 'span');
      }
    }
  });
}
