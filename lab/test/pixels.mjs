// What colour a part of the screen has.

/** How many pixels of a region are of a colour of the style sheet, more or less. */
export const pixelsOf = async (page, name, clip, slack) => (await pixelsIn(page, name, [clip], slack))[0];

/** The same for several regions, by one screenshot. */
export async function pixelsIn(page, name, clips, slack = 28) {
  const [left, top] = ["x", "y"].map((key) => Math.min(...clips.map((clip) => clip[key])));
  const [right, bottom] = [
    ["x", "width"],
    ["y", "height"],
  ].map(([key, size]) => Math.max(...clips.map((clip) => clip[key] + clip[size])));
  const all = { x: left, y: top, width: right - left, height: bottom - top };
  const png = (await page.screenshot({ clip: all })).toString("base64");
  const regions = clips.map(({ x, y, width, height }) => [x - left, y - top, width, height].map(Math.round));
  return page.evaluate(
    async ([png, name, slack, regions]) => {
      const probe = document.createElement("canvas").getContext("2d");
      probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
      probe.fillRect(0, 0, 1, 1);
      const wanted = probe.getImageData(0, 0, 1, 1).data;
      const image = new Image();
      image.src = `data:image/png;base64,${png}`;
      await image.decode();
      const pen = Object.assign(document.createElement("canvas"), {
        width: image.width,
        height: image.height,
      }).getContext("2d", { willReadFrequently: true });
      pen.drawImage(image, 0, 0);
      return regions.map((region) => {
        const { data } = pen.getImageData(...region);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) {
          if ([0, 1, 2].every((k) => Math.abs(data[i + k] - wanted[k]) <= slack)) count++;
        }
        return count;
      });
    },
    [png, name, slack, regions],
  );
}

/** A square around a place. */
export const around = ([x, y], half = 8) => ({ x: x - half, y: y - half, width: 2 * half, height: 2 * half });
