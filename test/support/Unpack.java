import java.io.File;
import java.io.FileInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.Enumeration;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;

/** Unpacks each archive of a folder as an updater on Android does, and checks no name: stream|file ARCHIVES TARGET. */
class Unpack {
  public static void main(String[] args) throws Exception {
    for (File archive : new File(args[1]).listFiles()) {
      File target = new File(args[2], archive.getName());
      target.mkdirs();
      try {
        if (args[0].equals("stream")) {
          stream(archive, target);
        } else {
          file(archive, target);
        }
        System.out.println(archive.getName());
      } catch (Exception error) {
        System.err.println(archive.getName() + ": " + error);
      }
    }
  }

  static void stream(File archive, File target) throws Exception {
    try (ZipInputStream zip = new ZipInputStream(new FileInputStream(archive))) {
      for (ZipEntry entry; (entry = zip.getNextEntry()) != null; ) {
        write(entry, zip, target);
      }
    }
  }

  static void file(File archive, File target) throws Exception {
    try (ZipFile zip = new ZipFile(archive)) {
      Enumeration<? extends ZipEntry> entries = zip.entries();
      while (entries.hasMoreElements()) {
        ZipEntry entry = entries.nextElement();
        try (InputStream content = zip.getInputStream(entry)) {
          write(entry, content, target);
        }
      }
    }
  }

  static void write(ZipEntry entry, InputStream content, File target) throws Exception {
    File file = new File(target, entry.getName());
    if (entry.isDirectory()) {
      file.mkdirs();
      return;
    }
    file.getParentFile().mkdirs();
    Files.copy(content, file.toPath(), StandardCopyOption.REPLACE_EXISTING);
  }
}
