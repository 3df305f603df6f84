import { Fragment } from 'react';
import Markdown from 'react-markdown';
import { Link } from 'react-router';
import remarkGfm from 'remark-gfm';
import { CodeBlock } from '../design/code-block';
import styles from './docs.module.css';
import { anchorOf, namePieces } from './guide-text';

const plugins = [remarkGfm];

/** As far as it is used here of an element of the tree that Markdown becomes. */
interface Node {
  value?: string;
  children?: Node[];
}

const textOf = (node: Node | undefined): string => node?.value ?? (node?.children ?? []).map(textOf).join('');

/** A name may go on in the next line, but only between its words. */
const breakable = (text: string) =>
  namePieces(text).map((piece, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {piece}
    </Fragment>
  ));

/** A guide, whose code can be copied. */
export function GuideView({ text }: { text: string }) {
  return (
    <article className={styles.guide}>
      <Markdown
        remarkPlugins={plugins}
        components={{
          a: ({ href = '', children }) => <Link to={href}>{children}</Link>,
          h2: ({ node, children }) => <h2 id={anchorOf(textOf(node))}>{children}</h2>,
          code: ({ node }) => <code>{breakable(textOf(node))}</code>,
          pre: ({ node }) => <CodeBlock code={textOf(node).trimEnd()} name="example" />,
          table: ({ children }) => (
            // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
            <div className={styles.table} tabIndex={0} role="group" aria-label="Table">
              <table>{children}</table>
            </div>
          ),
        }}
      >
        {text}
      </Markdown>
    </article>
  );
}
