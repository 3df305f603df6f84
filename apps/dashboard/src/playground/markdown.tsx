import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import styles from './playground.module.css';

const plugins = [remarkGfm];

/** An answer as the model formatted it. Nothing is fetched from elsewhere: an image shows as its address. */
export function MarkdownText({ text }: { text: string }) {
  return (
    <div className={styles.markdown}>
      <Markdown
        remarkPlugins={plugins}
        components={{
          a: ({ href, children }) => (
            <a href={href} target="_blank" rel="noopener noreferrer">
              {children}
            </a>
          ),
          img: ({ src, alt }) => <code>{alt ?? (typeof src === 'string' ? src : 'image')}</code>,
          // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
          pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
        }}
      >
        {text}
      </Markdown>
    </div>
  );
}
