// A deck of the web book as one file: its fonts, scripts and pictures are put inside.

async function asData(address) {
  const reader = new FileReader();
  const read = new Promise(done => { reader.onload = () => done(reader.result); });
  reader.readAsDataURL(await (await fetch(address)).blob());
  return read;
}
const asText = async address => (await fetch(address)).text();

async function putInside(page) {
  page.querySelectorAll('.site').forEach(e => e.remove());
  for (const link of page.querySelectorAll('link[rel=stylesheet]')) {
    const style = page.createElement('style');
    style.textContent = await asText(link.getAttribute('href'));
    link.replaceWith(style);
  }
  for (const style of page.querySelectorAll('style'))
    for (const [, address] of style.textContent.matchAll(/url\((\.\.[^)]*)\)/g))
      style.textContent = style.textContent.replace(address, await asData(address));
  for (const script of page.querySelectorAll('script[src]')) {
    script.textContent = await asText(script.getAttribute('src'));
    page.body.append(script);  // inside a page, it does not wait for what follows
    script.removeAttribute('src');
  }
  for (const image of page.querySelectorAll('img')) {
    image.removeAttribute('loading');
    image.src = await asData(image.getAttribute('src'));
  }
  for (const script of page.querySelectorAll('.explorer script')) {
    const { folder, ...drawn } = JSON.parse(script.textContent);
    const frames = drawn.sentences.map((_, number) => asData(`${folder}${number}.webp`));
    drawn.frames = (await Promise.all(frames)).map(frame => frame.split(',')[1]);
    script.textContent = JSON.stringify(drawn).replaceAll('<', '\\u003c');
  }
}

document.querySelector('.save').addEventListener('click', async ({ target }) => {
  target.disabled = true;
  const page = new DOMParser().parseFromString(await asText(location.pathname), 'text/html');
  await putInside(page);
  const link = document.createElement('a');
  const file = ['<!DOCTYPE html>\n' + page.documentElement.outerHTML];
  link.href = URL.createObjectURL(new Blob(file, { type: 'text/html' }));
  link.download = location.pathname.split('/').pop();
  link.click();
  target.disabled = false;
});
